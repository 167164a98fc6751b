import { REPLACED, type Shadow, type ShadowFile } from '../host/shadow.ts'
import { readSpoolWithoutStore, rememberShown } from '../host/spool.ts'
import { writeWhole } from '../kit/node/output.ts'
import { lazy } from '../kit/pure/lazy.ts'
import { PosternError } from '../model/errors.ts'
import type { Limits } from '../model/limits.ts'
import type { LocalPostern } from '../model/postern.ts'
import { renderDrain } from '../render/drain.ts'
import type { SoundEvent } from './call.ts'
import type { HookSettings } from './handler.ts'
import type { Host } from './hosts/host.ts'
import { inTime } from './in-time.ts'
import { isNews, openCopy, overwriteShadow, type ShadowCopy } from './shadows.ts'
import { answerWithoutStore, type Fallback, MAX_BLOCKS, mayHold } from './unavailable.ts'

export interface AbsentStore {
  readonly event: SoundEvent
  readonly host: Host
  readonly agent: string
  readonly home: string
  readonly root: string
  readonly settings: HookSettings
  readonly shadow: ShadowFile
  /** What kept us from the store. */
  readonly error: unknown
  /** Absent where the configuration could not be read either. */
  readonly limits?: Limits
  /** The store that is there now, where it could be opened. */
  readonly postern?: LocalPostern
}

const STDOUT = 1
const SPOOL_PATIENCE_MS = 200
const LEAST_MAIL_MS = 300
const EVIDENCE = 'shown while the store was away'

/** Answers from what lies beside the store: the session's shadow, and the copies in its spool. */
export async function answerInAbsence(absent: AbsentStore): Promise<void> {
  const { event, host, agent, home, root } = absent
  const copy = openCopy(home, { agent, sessionId: event.sessionId })
  const before = readShadow(absent, copy)
  const { answer, copies, shadow: after } = await decide(absent, before, copy)
  const notices = [answer.notice, cannotWrite(absent)].filter((each) => each !== undefined).join('\n\n')
  const text = host.render(event, {
    ...answer,
    ...(notices !== '' && { notice: notices }),
    ...(copies && { context: copies.text }),
  })
  if (text !== '') await writeWhole(STDOUT, `${text}\n`, { pipeGraceMs: 0 })
  const passed = after.bypassed.filter((name) => !before.bypassed.includes(name))
  if (passed.length > 0) await tellPresentStore(absent, passed)
  if (copies) await rememberShown({ sessionId: event.sessionId, root, names: copies.names, evidence: EVIDENCE })
}

const CANNOT_WRITE: readonly unknown[] = ['STORE_FULL', 'STORE_READ_ONLY', 'STORE_IO']
const HOUR_MS = 60 * 60 * 1_000

/** Only the person before the host can make room, so that person is told, once an hour in each session. */
function cannotWrite({ error, event, agent, home }: AbsentStore): string | undefined {
  if (!(error instanceof PosternError) || !CANNOT_WRITE.includes(error.code) || event.isSubagent) return undefined
  const owner = { agent, sessionId: event.sessionId }
  if (!isNews(home, owner, `${error.code} ${Math.floor(Date.now() / HOUR_MS)}`)) return undefined
  return `Postern can show ${agent} no mail now: ${error.message} ${error.next}`
}

/** A home that was moved away has taken the shadow along. Then its copy names the gates. */
function readShadow({ shadow }: AbsentStore, copy: ShadowCopy): Shadow {
  const own = copy.addPasses(shadow.read())
  if (own.gates.length > 0) return own
  const { gates, store, place } = copy.read()
  return { ...own, gates, store, place }
}

interface FallbackDecision extends Fallback {
  readonly copies: Copies | undefined
}

/**
 * Decides, and writes the decision down before it is printed. Stops are counted in the home's own shadow. If that cannot
 * be written, the copy counts them. If nothing can be written, only the host knows whether the turn was continued before.
 */
async function decide(absent: AbsentStore, before: Shadow, copy: ShadowCopy): Promise<FallbackDecision> {
  const { event, shadow, home, agent } = absent
  // Taken at most once: a second look would find them taken.
  const copies = lazy(() => takeCopies(absent))
  const decided = await decideBy(absent, before, copies)
  const owner = { agent, sessionId: event.sessionId }
  if (shadow.write(decided.shadow) || overwriteShadow(home, owner, decided.shadow)) {
    // The home that was moved away may come back in place of this one. Then the copy tells of the passes.
    if (decided.shadow.bypassed.length > 0) copy.write({ ...decided.shadow, blocks: 0, counted: 0 })
    return decided
  }
  const { blocks, bypassed } = copy.read()
  const byCopy = await decideBy(absent, { ...before, blocks, bypassed: [...before.bypassed, ...bypassed] }, copies)
  if (copy.write(byCopy.shadow)) return byCopy
  return decideBy(absent, { ...before, blocks: event.isStopActive ? MAX_BLOCKS : 0 }, copies)
}

async function decideBy(
  absent: AbsentStore,
  before: Shadow,
  takeOnce: () => Promise<Copies | undefined>,
): Promise<FallbackDecision> {
  const { event, settings, error } = absent
  const { stopCap } = settings
  const copies = mayHold(event, before, stopCap) ? await takeOnce() : undefined
  const why = isReplaced(error) ? REPLACED : error instanceof PosternError ? error.code : 'INTERNAL'
  const absence = { why, now: Date.now(), nonce: absent.settings.nonce(), stopCap, showsCopies: !!copies }
  return { ...answerWithoutStore(event, before, absence), copies }
}

/** The store that knew the gates may never come back, so the people of the one that took its place are told at once. */
async function tellPresentStore(absent: AbsentStore, names: readonly string[]): Promise<void> {
  const { event, agent, settings, postern, error } = absent
  if (!postern || !isReplaced(error)) return
  const evidence = 'the store that knows the gate was replaced'
  const report = { agent, sessionId: event.sessionId, outcome: 'bypassed', names, evidence } as const
  await inTime(settings, postern.hooks.passed(report)).catch(() => {})
}

interface Copies {
  readonly text: string
  readonly names: readonly string[]
}

/** What a courier has brought is shown even while the store is away, and remembered as shown. */
async function takeCopies({
  event,
  host,
  agent,
  root,
  settings,
  error,
  limits,
}: AbsentStore): Promise<Copies | undefined> {
  const maxPriority = host.drains[event.name]
  if (maxPriority === undefined || event.isSubagent || !host.injects.includes(event.name)) return undefined
  if (!limits || !isAway(error)) return undefined
  const reading = readSpoolWithoutStore({
    agent,
    sessionId: event.sessionId,
    root,
    patienceMs: SPOOL_PATIENCE_MS,
    maxMessages: limits.drainMessages,
    maxCharacters: Math.min(host.maxCharacters, limits.drainCharacters),
    ...(host.maxTokens !== null && { maxTokens: host.maxTokens }),
    maxPriority,
  })
  try {
    const { messages, remaining, names } = await inTime(untilMailIsLate(settings), reading)
    if (messages.length === 0) return undefined
    return { text: renderDrain({ offer: null, messages, remaining }, { nonce: settings.nonce() }), names }
  } catch {
    return undefined
  }
}

/** Mail gets what is left of the deadline. A late store may have used it up, so mail always gets a moment. */
function untilMailIsLate({ ageMs, timeouts }: HookSettings): Pick<HookSettings, 'ageMs' | 'timeouts'> {
  const { answerMs, reserveMs } = timeouts
  return { ageMs, timeouts: { ...timeouts, answerMs: Math.max(answerMs - reserveMs, ageMs() + LEAST_MAIL_MS) } }
}

function isReplaced(error: unknown): boolean {
  return error instanceof PosternError && error.details['reason'] === REPLACED
}

/** A store that refuses, because there is no such agent or the session is another's, is not away. */
function isAway(error: unknown): boolean {
  return error instanceof PosternError && error.code.startsWith('STORE_')
}
