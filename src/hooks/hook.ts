import type { Config } from '../host/config.ts'
import { readHookConfig } from '../host/hook-config.ts'
import { noteFault } from '../host/hook-log.ts'
import { openHook } from '../host/open-hook.ts'
import { projectRoot, readSpoolWithoutStore, rememberShown } from '../host/spool.ts'
import type { UserHook } from '../host/user-hooks.ts'
import { writeWhole } from '../kit/node/output.ts'
import { PosternError } from '../model/errors.ts'
import type { HookPostern } from '../model/postern.ts'
import { renderDrain } from '../render/drain.ts'
import { type ChainAnswer, runChain } from './chain.ts'
import type { HookCall, HookSettings } from './handler.ts'
import type { HookAnswer, HookEvent, Host } from './hosts/host.ts'
import { openShadow, type ShadowFile, shadowOf } from './shadow.ts'
import { answerWithoutStore } from './unavailable.ts'
import { userHandlers } from './user-handlers.ts'

export interface HookRequest {
  readonly host: Host
  readonly agent: string | undefined
  /** What came on standard input. */
  readonly input: string
  readonly config: Config
  readonly settings: HookSettings
  readonly cwd: string
}

type SoundEvent = HookEvent & { readonly sessionId: string }

const STDOUT = 1

/** Our own deadline, far below any host's: an answer that comes too late is thrown away with what it shows. */
const DEADLINE_MS = 1_500

/** How long the store may be busy, so that there is still time to answer without it. */
const BUSY_MS = 700

/** Commands of gates share what a stop can wait for. */
const CHECK_MS = 900

/** Answers one event of a host. Whatever goes wrong, the host gets a harmless answer and `doctor` the reason. */
export async function answerHook(request: HookRequest): Promise<void> {
  const event = understand(request)
  if (!event || request.agent === undefined) return
  const { config, cwd } = request
  const shadow = openShadow(config.home, event.sessionId)
  const root = projectRoot(event.cwd ?? cwd)
  let postern: HookPostern | undefined
  try {
    const { sessionGates, userHooks } = readHookConfig(config)
    const opened = openHook(config, { busyMs: BUSY_MS, limits: config.limits, sessionGates })
    postern = await inTime(request, opened)
    const call = createCall(request, event, postern, root)
    const answer = await inTime(request, answerFromStore(call, shadow, userHooks))
    await show(call, answer)
  } catch (error) {
    fault(request, event.hostEvent, error)
    await printWithoutStore(request, event, root, shadow, error)
  } finally {
    await postern?.close().catch(() => {})
  }
}

/** From here on something may have been printed, so nothing else may be: whatever fails now is done by a later hook. */
async function show(call: HookCall, answer: ChainAnswer): Promise<void> {
  try {
    await print(call.postern, call.host, call.event, answer)
    await afterwards(call, answer)
  } catch {
    // What was shown and not noted as printed is shown again.
  }
}

/** Undefined where there is nothing that could be answered; then nothing is consumed either. */
function understand(request: HookRequest): SoundEvent | undefined {
  const { host, agent, input } = request
  let value: unknown
  try {
    value = JSON.parse(input.replace(/^\uFEFF/, ''))
  } catch {
    fault(request, '', input.trim() === '' ? 'the input was empty' : 'the input was not JSON')
    return undefined
  }
  const event = host.parse(value)
  if (!event) return fault(request, '', 'the input was no event of this host')
  if (event.sessionId === null) return fault(request, event.hostEvent, 'the event names no session, or not a sound one')
  if (agent === undefined) fault(request, event.hostEvent, 'the session is bound to no agent, so it is shown nothing')
  return event as SoundEvent
}

function fault({ config, host }: HookRequest, event: string, error: unknown): undefined {
  const text = error instanceof Error ? error.message : String(error)
  noteFault(config.home, { at: new Date().toISOString(), host: host.name, event, fault: text })
}

function inTime<T>({ settings }: HookRequest, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new PosternError('STORE_UNAVAILABLE', { path: 'the store', reason: 'it did not answer in time' })
    timer = setTimeout(reject, Math.max(0, DEADLINE_MS - settings.ageMs()), error)
  })
  // Whatever comes after the deadline is nobody's any more.
  work.catch(() => {})
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

function createCall(request: HookRequest, event: SoundEvent, postern: HookPostern, root: string): HookCall {
  const { host, agent = '', settings } = request
  const leftMs = () => DEADLINE_MS - settings.ageMs()
  let judged: ReturnType<HookCall['judgement']> | undefined
  return {
    event,
    host,
    agent,
    postern,
    settings,
    root,
    session: undefined,
    isLoopBroken: false,
    used: 0,
    judgement() {
      judged ??= postern.gates.judge({
        agent,
        sessionId: event.sessionId,
        hook: event.name === 'turn.stop' ? 'stop' : 'tool',
        ...(event.tool && { tool: event.tool.name }),
        timeoutMs: Math.max(1, Math.min(CHECK_MS, leftMs() - 200)),
      })
      return judged
    },
    leftMs,
  }
}

/** What is known of the gates is written down before anything is asked of the store that may take long. */
async function answerFromStore(call: HookCall, file: ShadowFile, userHooks: readonly UserHook[]): Promise<ChainAnswer> {
  const { postern, agent, event } = call
  const before = file.read()
  const gates = shadowOf(await postern.gates.list({ agent }))
  file.write({ ...before, gates })
  const answer = await runChain(call, userHandlers(userHooks))
  if (before.bypassed.length > 0) {
    const evidence = 'the store could not be read at the time'
    const names = before.bypassed
    await postern.gates.passed({ agent, sessionId: event.sessionId, outcome: 'bypassed', names, evidence })
  }
  file.write(event.name === 'session.end' ? { gates: [], blocks: 0, bypassed: [] } : { gates, blocks: 0, bypassed: [] })
  return answer
}

/** Prints, and only then says so. A host that has gone away has seen nothing, so what it was shown is given back. */
async function print(postern: HookPostern, host: Host, event: HookEvent, answer: ChainAnswer): Promise<void> {
  const text = host.render(event, answer)
  const { offer } = answer
  try {
    if (text !== '') await writeWhole(STDOUT, `${text}\n`, { pipeGraceMs: 0 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (offer) await postern.inbox.release({ offerId: offer.id, reason: `the hook's output was not taken (${code})` })
    return
  }
  if (offer) await postern.inbox.printed({ offerId: offer.id })
}

/** The answer is out. What is left any other command does too. */
async function afterwards({ postern, agent, event, leftMs }: HookCall, answer: ChainAnswer): Promise<void> {
  if (leftMs() > DEADLINE_MS / 2) await postern.upkeep.run()
  if (!answer.offer && event.name !== 'session.end') await postern.sessions.settle({ agent })
}

async function printWithoutStore(
  request: HookRequest,
  event: SoundEvent,
  root: string,
  file: ShadowFile,
  error: unknown,
): Promise<void> {
  const { host } = request
  const why = error instanceof PosternError ? error.code : 'INTERNAL'
  const { answer, shadow } = answerWithoutStore(event, file.read(), why)
  file.write(shadow)
  const copies = await spoolCopies(request, event, root)
  const shown: HookAnswer = copies ? { ...answer, context: copies.text } : answer
  const text = host.render(event, shown)
  if (text === '') return
  try {
    await writeWhole(STDOUT, `${text}\n`, { pipeGraceMs: 0 })
  } catch {
    return
  }
  if (copies) {
    const { names } = copies
    await rememberShown({ sessionId: event.sessionId, root, names, evidence: 'shown while the store was away' })
  }
}

/** What a courier has brought is shown even while the store is away, and remembered as shown. */
async function spoolCopies(
  { host, agent = '', settings }: HookRequest,
  event: SoundEvent,
  root: string,
): Promise<{ readonly text: string; readonly names: readonly string[] } | undefined> {
  const maxPriority = host.drains[event.name]
  if (maxPriority === undefined || event.isSubagent || !host.injects.includes(event.name)) return undefined
  try {
    const copies = await readSpoolWithoutStore({
      agent,
      sessionId: event.sessionId,
      root,
      patienceMs: 200,
      maxMessages: settings.drainMessages,
      maxCharacters: Math.min(host.maxCharacters, settings.drainCharacters),
      maxPriority,
    })
    if (copies.messages.length === 0) return undefined
    const drained = { offer: null, messages: copies.messages, remaining: copies.remaining }
    return { text: renderDrain(drained, { nonce: settings.nonce() }), names: copies.names }
  } catch {
    return undefined
  }
}
