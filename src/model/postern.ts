import type { Agent, AgentKind } from './agent.ts'
import type { Bus } from './bus/bus.ts'
import type { Caller } from './caller.ts'
import type { Decisions } from './decisions.ts'
import type { DeliveryState, InboxMessage, ShownMessage } from './delivery.ts'
import type { FindStandingGates, Gates, JudgeGates, Judgement, PassedGates, StandingGates } from './gates.ts'
import type { Handoff } from './handoff/handoff.ts'
import type { IngestEntries, Ingested } from './ingest.ts'
import type { Json } from './json.ts'
import type { LedgerDesk, Messages, Notes } from './ledger/ledgers.ts'
import type { Attachment, Message } from './message.ts'
import type { Metrics } from './metrics.ts'
import type { Events } from './network/events.ts'
import type { Tokens } from './network/tokens.ts'
import type { TraceContext } from './network/trace-context.ts'
import type { Offer } from './offer.ts'
import type { Priority } from './priority.ts'
import type { ReceiptStage, Trace } from './receipt.ts'
import type { Liveness, Session } from './session.ts'
import type { Plans } from './sources/plans.ts'
import type { Services } from './sources/services.ts'
import type { Spaces } from './sources/spaces.ts'

/**
 * Everything Postern does, grouped by noun. Doors are handed one and cannot tell whether the heart runs in this
 * process or behind a server. Each method is one operation of `operations/`, under the same name.
 */
export interface Postern {
  readonly caller: Caller
  /** The same Postern for another caller; closing either closes both. */
  as(caller: Caller): Postern
  /**
   * The same Postern for one change under a key. If the change is asked for again under that key within a day, it is not
   * made again and its first answer is repeated, even if that answer was lost. Another change under the key is refused. A
   * change that failed may be tried again. The key of a message counts for each of its recipients, as its dedup key does.
   * Answers that hold a secret are not kept, so such a change (a token, a service and its keys) is made each time. If the
   * process dies before it has stored the answer, only the changes listed in docs/reference/http.md are not made again.
   */
  once(key: string): Postern
  readonly agents: Agents
  readonly sessions: Sessions
  readonly inbox: Inbox
  readonly gates: Gates
  readonly decisions: Decisions
  readonly plans: Plans
  readonly spaces: Spaces
  readonly services: Services
  readonly tokens: Tokens
  readonly bus: Bus
  readonly handoff: Handoff
  readonly messages: Messages
  readonly notes: Notes
  readonly ledger: LedgerDesk
  readonly events: Events
  readonly metrics: Metrics
  readonly upkeep: Upkeep
  close(): Promise<void>
}

/** A Postern whose core runs in this process. */
export interface LocalPostern extends Postern {
  as(caller: Caller): LocalPostern
  readonly hooks: HookVerbs
}

export function isLocalPostern(postern: Postern): postern is LocalPostern {
  return 'hooks' in postern
}

/** What only the hooks of this machine ask for. */
export interface HookVerbs {
  drain(input: HookDrain): Promise<Drained>
  /** As `gates.judge`, but also for the session of another agent, where the gates of the configuration count. */
  judge(input: JudgeGates): Promise<Judgement>
  /**
   * As `gates.passed`, also for the session of another agent, and a breach counts at once: the hook itself has decided to
   * let the agent go on.
   */
  passed(input: PassedGates): Promise<void>
  /** Gates that may hold or warn a session, as far as that can be told without running their commands. */
  standing(input: FindStandingGates): Promise<StandingGates>
  /** Whether a session was ever offered an inheritance. */
  hasInherited(input: { readonly sessionId: string }): Promise<boolean>
  /**
   * Notes that a session is being told that nothing waits. True if it was told a moment ago, or is being shown
   * something.
   */
  isTold(input: { readonly sessionId: string }): Promise<boolean>
  /**
   * The session goes on and inherits what it was shown before this event began; or it ends, and the rest is given back.
   */
  settleInheritances(input: {
    readonly sessionId: string
    readonly ageMs: number
    readonly isOver: boolean
  }): Promise<void>
}

export interface Agents {
  /** Registers an agent. The same agent again is not an error; another one under its name is. */
  add(input: AddAgent): Promise<Agent>
  list(input?: ListAgents): Promise<readonly AgentStatus[]>
  show(input: { readonly id: string }): Promise<AgentStatus>
  rename(input: { readonly id: string; readonly displayName: string }): Promise<Agent>
  /** Retires an agent: what waits for it is cancelled, and its id is never given to another. */
  remove(input: { readonly id: string }): Promise<Agent>
}

export interface AddAgent {
  readonly id: string
  readonly kind?: AgentKind
  readonly displayName?: string
  /** Absent: not said; a new agent is none, a known one stays what it is. True makes a registered person an owner. */
  readonly isOwner?: boolean
  /** Also take up broadcasts that were sent before and have not expired. */
  readonly withBroadcasts?: boolean
  /** Bring a removed agent back; kind and display name, where given, must be its own. */
  readonly restore?: boolean
}

export interface ListAgents {
  readonly removed?: boolean
  /** Only those in whose id or name this stands; ASCII letters in any case. */
  readonly search?: string
  /** At most so many, in the order of their ids; by default all of them. */
  readonly limit?: number
  /** Start after this id (the last of the previous page). */
  readonly after?: string
}

export interface AgentStatus extends Agent {
  readonly pending: number
  /** Whether the host of its latest open session lives; null if it has none. */
  readonly liveness: Liveness | null
  /** Its latest open session. Null if it has none, and for a program that asks about another agent with a token. */
  readonly session: (Session & { readonly liveness: Liveness }) | null
}

export interface Sessions {
  /** Registers a session or notes that it goes on. */
  begin(input: BeginSession): Promise<Session>
  end(input: { readonly id: string }): Promise<Session>
  /** Notes an event of a host: the session lives, works or rests, and has consumed what it was shown before. */
  note(input: NoteEvent): Promise<NotedEvent>
  /** Marks an agent as quiet if nothing waits for it, so that its next hooks need not ask. True if it did. */
  markQuiet(input: { readonly agent: string }): Promise<boolean>
  /**
   * The end of a turn was put off once more, or not. Of stops that were under way at the same time, as `ageMs` tells, one
   * counts. People are told of mail that is left lying by a release.
   */
  setStop(input: { readonly id: string; readonly outcome: StopOutcome; readonly ageMs?: number }): Promise<Session>
  /** Lists open sessions, most recent event first: of one agent, by id, or of everybody, at most 1,000. */
  list(input?: ListSessions): Promise<readonly (Session & { readonly liveness: Liveness })[]>
}

export interface ListSessions {
  readonly agent?: string
  readonly id?: string
  /**
   * Only sessions of these host processes. Ended ones are listed too, after the open ones: a host may outlive its
   * session.
   */
  readonly pids?: readonly number[]
}

export interface BeginSession {
  readonly id: string
  readonly agent: string
  readonly host?: string
  readonly pid?: number
  readonly pidStartedAt?: number
  /**
   * The process that runs its hooks if the host's process is unknown. Hooks send it with every event; if it changes
   * within a session, none is noted.
   */
  readonly starterPid?: number
  readonly starterStartedAt?: number
  /** The machine on which that process runs; absent: where the heart runs. */
  readonly machine?: string
  /** The root of the project it works in. */
  readonly project?: string
}

export interface NoteEvent extends BeginSession {
  /** What happens: `prompt.submit`, `turn.stop`, … */
  readonly event: string
  /** How long ago the event began. What was printed before that is confirmed; absent: nothing is. */
  readonly ageMs?: number
  /** What was printed before that has not reached the model: it is given back instead. */
  readonly loses?: boolean
  /** Tells one firing of an event from the next; the same one again within seconds is the same event. */
  readonly firing?: string
  /**
   * How often in a row the turn was continued at least, as hooks know that continued it without the store. The session's
   * own count rises to it, so parallel events may all pass the same number.
   */
  readonly minContinuations?: number
}

export interface NotedEvent {
  readonly session: Session
  /** Somebody has already answered this very event. */
  readonly isRepeated: boolean
  /** When the event began, by the store's clock; null if its age is not known. */
  readonly begunAt: number | null
  /** How many offers it has confirmed. */
  readonly confirmed: number
}

/** Put off, granted, or let go because it had been put off too often. */
export type StopOutcome = 'continued' | 'granted' | 'released'

export interface Inbox {
  /** Stores a message for all its recipients or for none. Repeating it with its key returns the first id. */
  push(input: PushMessage): Promise<PushResult>
  /** Stores many messages at once: all or none. */
  pushMany(input: { readonly messages: readonly PushMessage[] }): Promise<readonly PushResult[]>
  /**
   * Stores entries of a spool for one agent, each for itself; what the agent has already is recognised and left as it
   * is.
   */
  ingest(input: IngestEntries): Promise<readonly Ingested[]>
  list(input: ListInbox): Promise<InboxPage>
  show(input: { readonly id: string; readonly agent?: string }): Promise<ShownInFull>
  /** Offers what is pending, urgent first, then in order. Nobody else is offered the same while the offer lasts. */
  drain(input: DrainInbox): Promise<Drained>
  /** Notes that the offer's text was written out whole. Again: whoever was given it still works on it. */
  printed(input: PrintedOffer): Promise<Offer>
  /** The offer was consumed: its messages are `seen`. Refused for an offer that was never printed. */
  confirm(input: OfferRef & { readonly evidence: string; readonly printed?: boolean }): Promise<Offer>
  /** Gives the offer back: its messages are pending again. */
  release(input: OfferRef & { readonly reason: string }): Promise<Offer>
  /** Confirms what a session was offered and printed before `printedBefore`. Returns how many offers that were. */
  confirmSession(input: ConfirmSession): Promise<number>
  /** Somebody reads these very messages: what is pending of them is seen from now on. */
  read(input: PickMessages): Promise<readonly AckResult[]>
  ack(input: AckMessages): Promise<readonly AckResult[]>
  /** Puts messages off until a time at which they are pending again, shown or not; null takes them up at once. */
  snooze(input: SnoozeMessages): Promise<readonly AckResult[]>
  /** Resolves when something waits for the agent, or when the time is over. */
  wait(input: WaitInbox): Promise<{ readonly pending: number }>
  /** Resolves with the stage reached by every recipient; throws TIMED_OUT with what was reached so far. */
  waitFor(input: WaitForReceipt): Promise<Trace>
  cancel(input: { readonly id: string; readonly agent?: string }): Promise<{ readonly cancelled: number }>
  trace(input: { readonly id: string }): Promise<Trace>
  search(input: SearchMessages): Promise<readonly Message[]>
  held(input?: { readonly agent?: string }): Promise<readonly InboxMessage[]>
  releaseHeld(input: DeliveryRef): Promise<{ readonly released: number }>
  dead(input?: { readonly agent?: string }): Promise<readonly InboxMessage[]>
  retryDead(input: DeliveryRef): Promise<{ readonly retried: number }>
}

export interface PushMessage {
  /** Agents, or `['all']`, or one space as `['space:<id>']`. Empty or absent: the caller's own agent. */
  readonly to?: readonly string[]
  readonly content: string
  readonly type?: string
  readonly subject?: string
  readonly payload?: Json
  readonly context?: Json
  readonly priority?: Priority
  readonly ref?: string
  readonly replyTo?: string
  readonly dedupKey?: string
  readonly ttlMs?: number
  readonly attachments?: readonly Attachment[]
  /** The distributed trace that it belongs to; one that is not valid is passed over, as the standard says. */
  readonly trace?: TraceContext
  /** Register unknown recipients instead of refusing. */
  readonly create?: boolean
}

export interface PushResult {
  readonly id: string
  /** True where every recipient had it already. */
  readonly duplicate: boolean
  readonly recipients: readonly PushRecipient[]
}

export interface PushRecipient {
  readonly agent: string
  readonly state: DeliveryState
  readonly duplicate: boolean
}

export interface ListInbox {
  /** Absent: every agent. */
  readonly agent?: string
  /**
   * `pending` (the default), `delivered` (seen and acted), `done` (acted), `open` (not dealt with), `snoozed` (put
   * off), or `all`.
   */
  readonly which?: 'pending' | 'delivered' | 'done' | 'open' | 'snoozed' | 'all'
  /** `oldest` first by default; `newest` only for one agent. */
  readonly order?: 'oldest' | 'newest'
  readonly limit?: number
  readonly after?: string
}

export interface InboxPage {
  readonly items: readonly InboxMessage[]
  /** Pass it as `after` to go on; null at the end. */
  readonly next: string | null
}

export interface ShownInFull {
  readonly message: Message
  readonly thread: readonly Message[]
}

export interface DrainInbox {
  readonly agent: string
  readonly sessionId?: string
  /** Where this happens; stands in the receipt. */
  readonly via?: string
  readonly maxMessages?: number
  /** Characters and tokens of rendered text; absent: no such bound. */
  readonly maxCharacters?: number
  readonly maxTokens?: number
  /** Only this urgent or more. */
  readonly maxPriority?: Priority
  /** The count holds for critical messages too, none of which is left out otherwise. */
  readonly boundsCritical?: boolean
}

/** A hook must not take longer because much waits. */
export interface HookDrain extends DrainInbox {
  /** Stops counting the other messages that wait at about this number. */
  readonly countUpTo?: number
}

export interface Drained {
  /** Null where nothing was pending: then nothing was written either. */
  readonly offer: Offer | null
  readonly messages: readonly ShownMessage[]
  /** How many more wait. */
  readonly remaining: number
}

export interface OfferRef {
  readonly offerId: string
}

export interface PrintedOffer extends OfferRef {
  /** How long it lasts from now on unless it is confirmed; by default, and at most, as long as printed offers do. */
  readonly leaseMs?: number
}

export interface ConfirmSession {
  readonly sessionId: string
  readonly printedBefore: number
  readonly evidence: string
}

export interface AckMessages {
  readonly agent: string
  readonly ids: readonly string[]
}

/** Messages of one inbox. */
export interface PickMessages {
  readonly agent: string
  readonly ids: readonly string[]
}

export interface SnoozeMessages extends PickMessages {
  readonly untilAt: number | null
}

export interface AckResult {
  readonly id: string
  readonly state: DeliveryState
}

export interface WaitInbox {
  readonly agent: string
  /** Only for what is this urgent or more. */
  readonly maxPriority?: Priority
  /** Only for what others have sent: what an agent notes for itself wakes nobody. */
  readonly fromOthers?: boolean
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface WaitForReceipt {
  readonly id: string
  readonly stage: ReceiptStage
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

export interface SearchMessages {
  readonly query: string
  readonly agent?: string
  readonly limit?: number
}

export interface DeliveryRef {
  readonly id: string
  readonly agent?: string
}

export interface Upkeep {
  /** One bounded slice of what has to be done from time to time. Returns what it did. */
  run(): Promise<UpkeepReport>
  check(): Promise<HealthReport>
}

export interface UpkeepReport {
  readonly expired: number
  readonly released: number
  readonly reaped: number
  /** Gates whose time had come. */
  readonly gates: number
  /** Messages of plans whose instant had come. */
  readonly plans: number
}

/** One thing that `doctor` looked at. */
export interface HealthCheck {
  readonly name: string
  readonly ok: boolean
  /** `note` informs and never fails the whole. */
  readonly level: 'error' | 'warning' | 'note'
  readonly detail: string
  readonly next?: string
}

export interface HealthReport {
  readonly ok: boolean
  readonly checks: readonly HealthCheck[]
}
