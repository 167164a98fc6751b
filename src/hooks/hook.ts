import type { Config } from '../host/config/config.ts'
import { HANDOFF } from '../host/config/handoff.ts'
import { HOOKS, type UserHook } from '../host/config/hooks.ts'
import { noteFault } from '../host/hook-log.ts'
import type { OpenOptions } from '../host/open/context.ts'
import { open } from '../host/open/open.ts'
import { openShadow, placeOf, type Shadow } from '../host/shadow.ts'
import { projectRoot } from '../host/spool-place.ts'
import { writeWhole } from '../kit/node/output.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import type { LocalPostern } from '../model/postern.ts'
import { createCall, type SoundEvent } from './call.ts'
import type { ChainAnswer } from './chain.ts'
import { answerFromStore, type FromStore } from './from-store.ts'
import type { HookCall, HookSettings } from './handler.ts'
import type { HookEvent, Host } from './hosts/host.ts'
import { inTime } from './in-time.ts'
import type { HookInput } from './parse-input.ts'
import { answerProbe, isProbe } from './probe.ts'
import { afterwards, giveBack, hasTimeLeft, noteShown } from './shown.ts'
import { HOST_TIMEOUT_S } from './timeouts.ts'

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
  const mark = mayBeHeld(known, before)
    ? (await import('./pending.ts')).markPending(home, { agent, sessionId: known.sessionId }, before, known)
    : undefined
  // What the host is given after that it has long stopped waiting for.
  const clear = () => (settings.ageMs() < HOST_TIMEOUT_S * 1_000 ? mark?.clear() : undefined)
  let config: Config | undefined
  let postern: LocalPostern | undefined
  try {
    config = request.readConfig(folder)
    const { limits } = config
    const userHooks = config.get(HOOKS)
    const handoff = () => (config as Config).get(HANDOFF)
    const { opened } = request
    const { storeMs } = settings.timeouts
    postern = await inTime(settings, open(config, { busyMs: storeMs, limits, opened, upkeep: false, mustExist: true }))
    const note = (error: unknown) => noteProblem(request, event.hostEvent, error)
    const rules = { limits, handoff, home, uncounted: before.blocks, counted: before.counted }
    const call = createCall({ event: known, host, agent, postern, settings, root, note, ...rules })
    const surroundings = { home, userHooks, before: { ...before, folder }, place: () => placeOf(config as Config) }
    await show(call, { ...(await answerFromStore(call, shadow, surroundings)), clear }, userHooks)
    // Whatever becomes of that, the answer is out and must stay the only one. On a slow disk the end of the process closes
    // the store: the host waits for it.
    if (hasTimeLeft(call)) await inTime(settings, postern.close()).catch(() => {})
  } catch (error) {
    // The store is not closed: whoever keeps us from it would keep us from that too.
    noteProblem(request, event.hostEvent, error)
    const limits = config?.limits
    const { answerInAbsence } = await import('./fallback.ts')
    const present = { ...(limits && { limits }), ...(postern && { postern }) }
    await answerInAbsence({ event: known, host, agent, home, root, settings, shadow, error, ...present })
    clear()
  }
}

/** Whether the event is one that strict gates have held, as far as is known. */
function mayBeHeld({ name }: HookEvent, { gates }: Shadow): boolean {
  const hook = name === 'turn.stop' ? 'stop' : name === 'tool.before' ? 'tool' : undefined
  return hook !== undefined && gates.some((gate) => gate.hook === hook && gate.mode === 'strict')
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

interface Shown extends FromStore {
  /** The host has the answer. */
  readonly clear: () => void
}

/** From here on something may have been printed, so nothing else may be: whatever fails now is done by a later hook. */
async function show(call: HookCall, { answer, report, clear }: Shown, userHooks: readonly UserHook[]): Promise<void> {
  try {
    if (!(await print(call, answer))) return
    clear()
    await noteShown(call, answer)
    // The agent is not quiet while a person has not been told.
    await inTime(call.settings, report())
    await afterwards(call, answer, userHooks)
  } catch {
    // What was shown and not noted as printed is shown again.
  }
}

/** False if the host has gone away: it has seen nothing, so what it was shown is given back. */
async function print(call: HookCall, answer: ChainAnswer): Promise<boolean> {
  const { host, event } = call
  try {
    await write(host.render(event, answer))
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    await giveBack(call, answer, `the hook's output was not taken (${code})`)
    return false
  }
}
