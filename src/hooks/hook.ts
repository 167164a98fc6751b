import type { Config } from '../host/config/config.ts'
import { HANDOFF } from '../host/config/handoff.ts'
import { HOOKS, type UserHook } from '../host/config/hooks.ts'
import { noteFault } from '../host/hook-log.ts'
import type { OpenOptions } from '../host/open/context.ts'
import { open } from '../host/open/open.ts'
import { projectRoot } from '../host/spool-place.ts'
import { writeWhole } from '../kit/node/output.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { createCall, type SoundEvent } from './call.ts'
import type { ChainAnswer } from './chain.ts'
import { answerFromStore } from './from-store.ts'
import type { HookCall, HookSettings } from './handler.ts'
import type { HookEvent, Host } from './hosts/host.ts'
import { inTime } from './in-time.ts'
import type { HookInput } from './parse-input.ts'
import { answerProbe, isProbe } from './probe.ts'
import { openShadow } from './shadow.ts'
import { afterwards, giveBack, noteShown } from './shown.ts'

export interface HookRequest {
  readonly host: Host
  readonly agent: string | undefined
  readonly input: HookInput
  /** Where our own files lie, whether or not the configuration can be read. */
  readonly home: string
  /** As it is for this folder. */
  readonly readConfig: (folder: string) => Config
  readonly settings: HookSettings
  readonly cwd: string
  /** The store, where it was opened for a look already. */
  readonly opened?: OpenOptions['opened']
}

const STDOUT = 1

/** Nobody is kept waiting by a probe. */
const PROBE_BUSY_MS = 1_000

/** Answers one event of a host. Whatever goes wrong, the host gets a harmless answer and `doctor` the reason. */
export async function answerHook(request: HookRequest): Promise<void> {
  const { host, agent, home, settings, cwd } = request
  const { event, fault } = request.input
  if (fault !== undefined) noteProblem(request, event?.hostEvent ?? '', fault)
  if (event?.sessionId == null || agent === undefined) return sayNothing(host, event)
  const known = event as SoundEvent
  const shadow = openShadow(home, { agent, sessionId: known.sessionId })
  const root = projectRoot(known.cwd ?? cwd)
  if (isProbe(event))
    return write(
      await answerProbe(agent, () =>
        open(request.readConfig(cwd), { busyMs: PROBE_BUSY_MS, upkeep: false, mustExist: true }),
      ),
    )
  const before = shadow.read()
  const folder = (begins(known) ? null : before.folder) ?? cwd
  let config: Config | undefined
  try {
    config = request.readConfig(folder)
    const { limits } = config
    const userHooks = config.get(HOOKS)
    const handoff = () => (config as Config).get(HANDOFF)
    const { opened } = request
    const { storeMs } = settings.timeouts
    const postern = await inTime(
      settings,
      open(config, { busyMs: storeMs, limits, opened, upkeep: false, mustExist: true }),
    )
    const note = (error: unknown) => noteProblem(request, event.hostEvent, error)
    const rules = { limits, handoff, uncounted: before.blocks, counted: before.counted }
    const call = createCall({ event: known, host, agent, postern, settings, root, note, ...rules })
    const answer = await answerFromStore(call, shadow, { home, userHooks, before: { ...before, folder } })
    await show(call, answer, userHooks)
    // Whatever becomes of that, the answer is out and must stay the only one.
    await inTime(settings, postern.close()).catch(() => {})
  } catch (error) {
    // The store is not closed: whoever keeps us from it would keep us from that too.
    noteProblem(request, event.hostEvent, error)
    const limits = config?.limits
    const { answerInAbsence } = await import('./fallback.ts')
    await answerInAbsence({ event: known, host, agent, root, settings, shadow, error, ...(limits && { limits }) })
  }
}

/** A compaction fires it once more, wherever the agent has gone meanwhile. */
function begins({ name, source }: HookEvent): boolean {
  return name === 'session.start' && source !== 'compact'
}

const NO_EVENT: HookEvent = {
  name: 'other',
  hostEvent: '',
  sessionId: null,
  cwd: null,
  isSubagent: false,
  tool: null,
  isStopActive: false,
  source: null,
  firing: null,
}

/** Some hosts want to be told even that there is nothing to say. */
async function sayNothing(host: Host, event: HookEvent = NO_EVENT): Promise<void> {
  await write(host.render(event, {}))
}

function write(text: string): Promise<void> {
  return text === '' ? Promise.resolve() : writeWhole(STDOUT, `${text}\n`, { pipeGraceMs: 0 })
}

function noteProblem({ home, host }: HookRequest, event: string, error: unknown): void {
  const text = reasonOf(error)
  noteFault(home, { at: new Date().toISOString(), host: host.name, event, fault: text })
}

/** From here on something may have been printed, so nothing else may be: whatever fails now is done by a later hook. */
async function show(call: HookCall, answer: ChainAnswer, userHooks: readonly UserHook[]): Promise<void> {
  try {
    await print(call, answer)
    await afterwards(call, answer, userHooks)
  } catch {
    // What was shown and not noted as printed is shown again.
  }
}

/** Prints, and only then says so. A host that has gone away has seen nothing, so what it was shown is given back. */
async function print(call: HookCall, answer: ChainAnswer): Promise<void> {
  const { host, event } = call
  try {
    await write(host.render(event, answer))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return giveBack(call, answer, `the hook's output was not taken (${code})`)
  }
  await noteShown(call, answer)
}
