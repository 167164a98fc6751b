import type { Config } from '../host/config.ts'
import type { OpenOptions } from '../host/context.ts'
import { readHookConfig } from '../host/hook-config.ts'
import { noteFault, UNBOUND } from '../host/hook-log.ts'
import { openHook } from '../host/open-hook.ts'
import { projectRoot } from '../host/spool-place.ts'
import type { UserHook } from '../host/user-hooks.ts'
import { writeWhole } from '../kit/node/output.ts'
import { PosternError } from '../model/errors.ts'
import { reportBypasses } from './bypasses.ts'
import { createCall, DEADLINE_MS, type SoundEvent } from './call.ts'
import { type ChainAnswer, runChain } from './chain.ts'
import type { HookCall, HookSettings } from './handler.ts'
import type { HookEvent, HookEventName, Host } from './hosts/host.ts'
import { answerProbe, isProbe } from './probe.ts'
import { forgetBypasses, openShadow, type Shadow, type ShadowFile } from './shadow.ts'
import { userHandlers } from './user-handlers.ts'

export interface HookRequest {
  readonly host: Host
  readonly agent: string | undefined
  /** What came on standard input. */
  readonly input: string
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

/** How long the store may be busy, so that there is still time to answer without it. */
const BUSY_MS = 700

/** Answers one event of a host. Whatever goes wrong, the host gets a harmless answer and `doctor` the reason. */
export async function answerHook(request: HookRequest): Promise<void> {
  const { host, agent, home, settings, cwd } = request
  const event = understand(request)
  if (event?.sessionId == null || agent === undefined) return sayNothing(host, event)
  const known = event as SoundEvent
  const shadow = openShadow(home, { agent, sessionId: known.sessionId })
  const root = projectRoot(known.cwd ?? cwd)
  if (isProbe(event)) return write(await answerProbe(agent, () => request.readConfig(cwd)))
  const before = shadow.read()
  const folder = (begins(known) ? null : before.folder) ?? cwd
  let config: Config | undefined
  try {
    config = request.readConfig(folder)
    const { sessionGates, userHooks } = readHookConfig(config)
    const { limits } = config
    const { opened } = request
    const postern = await inTime(settings, openHook(config, { busyMs: BUSY_MS, limits, sessionGates, opened }))
    const call = createCall({ event: known, host, agent, postern, settings, limits, root })
    const answer = await answerFromStore(call, shadow, { home, userHooks, before: { ...before, folder } })
    await show(call, answer, userHooks)
    // Whatever becomes of that, the answer is out and must stay the only one.
    await inTime(settings, postern.close()).catch(() => {})
  } catch (error) {
    // The store is not closed: whoever keeps us from it would keep us from that too.
    fault(request, event.hostEvent, error)
    const limits = config?.limits
    const { answerInAbsence } = await import('./fallback.ts')
    await answerInAbsence({ event: known, host, agent, root, settings, shadow, error, ...(limits && { limits }) })
  }
}

/** A compaction fires it once more, wherever the agent has gone meanwhile. */
function begins({ name, source }: HookEvent): boolean {
  return name === 'session.start' && source !== 'compact'
}

/** Undefined where the input is no event at all; a fault is noted wherever nothing can be shown. */
function understand(request: HookRequest): HookEvent | undefined {
  const { host, agent, input } = request
  let value: unknown
  try {
    value = JSON.parse(input.replace(/^\uFEFF/, ''))
  } catch {
    return fault(request, '', input.trim() === '' ? 'the input was empty' : 'the input was not JSON')
  }
  const event = host.parse(value)
  if (!event) return fault(request, '', 'the input was no event of this host')
  if (event.sessionId === null) fault(request, event.hostEvent, 'the event names no session, or not a sound one')
  else if (agent === undefined) fault(request, event.hostEvent, UNBOUND)
  return event
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

function fault({ home, host }: HookRequest, event: string, error: unknown): undefined {
  const text = error instanceof Error ? error.message : String(error)
  noteFault(home, { at: new Date().toISOString(), host: host.name, event, fault: text })
}

function inTime<T>({ ageMs }: HookSettings, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooLate()), Math.max(0, DEADLINE_MS - ageMs()))
  })
  // Whatever comes after the deadline is nobody's any more.
  work.catch(() => {})
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function tooLate(): PosternError {
  return new PosternError('STORE_UNAVAILABLE', { path: 'the store', reason: 'it did not answer in time' })
}

interface Surroundings {
  readonly home: string
  readonly userHooks: readonly UserHook[]
  /** What was known before. */
  readonly before: Shadow
}

/**
 * What is known of the gates is written down before anything is asked of the store that may take long. Only here is the
 * shadow written, never by what goes on after the deadline.
 */
async function answerFromStore(
  call: HookCall,
  shadow: ShadowFile,
  { home, userHooks, before }: Surroundings,
): Promise<ChainAnswer> {
  const { postern, agent, event, settings } = call
  const { folder } = before
  const gates = await inTime(settings, postern.gates.standing({ agent, sessionId: event.sessionId }))
  shadow.write({ ...shadow.read(), folder, gates })
  const answer = await inTime(settings, runChain(call, userHandlers(userHooks)))
  await inTime(settings, reportBypasses(call, home, before))
  const { bypassed } = forgetBypasses(shadow, before.bypassed)
  shadow.write({ folder, gates: event.name === 'session.end' ? [] : gates, blocks: 0, bypassed })
  return answer
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
async function print({ postern, host, event, agent }: HookCall, answer: ChainAnswer): Promise<void> {
  const { offer, warned } = answer
  try {
    await write(host.render(event, answer))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (offer) await postern.inbox.release({ offerId: offer.id, reason: `the hook's output was not taken (${code})` })
    return
  }
  if (offer) await postern.inbox.printed({ offerId: offer.id })
  if (warned.length === 0) return
  const evidence = `at ${event.hostEvent}`
  await postern.gates.passed({ agent, sessionId: event.sessionId, outcome: 'warned', names: warned, evidence })
}

/** Events at which nobody waits for the next step of a turn. */
const AT_REST: readonly HookEventName[] = ['session.start', 'turn.stop', 'session.end']

/**
 * The answer is out. What is left any other command does too. While the user's own commands want to hear of events, the
 * agent is never quiet.
 */
async function afterwards(
  { postern, agent, event, leftMs }: HookCall,
  answer: ChainAnswer,
  userHooks: readonly UserHook[],
): Promise<void> {
  if (AT_REST.includes(event.name) && leftMs() > DEADLINE_MS / 2) await postern.upkeep.run()
  if (!answer.offer && event.name !== 'session.end' && userHooks.length === 0) await postern.sessions.settle({ agent })
}
