import { monotonicMs } from '../kit/node/monotonic.ts'
import { createBackoff } from '../kit/pure/backoff.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { PosternError } from '../model/errors.ts'
import { SpoolError, type SpoolTrouble } from '../spool/file.ts'
import { type CourierPostern, withTimeout, withTimeouts } from './courier-postern.ts'
import { type InboxCursor, type IngestSpool, readMailState, returnToInbox, spoolPending } from './pending.ts'
import { openSessionSpool, type SessionSpool } from './session-spool.ts'
import { findTarget, isAtRest, type Target, type TargetParams, type TargetSpool } from './target.ts'

export interface RoundParams extends TargetParams {
  readonly agent: string
  /** Opens the Postern on first use, and again after a failure. */
  readonly reach: () => Promise<CourierPostern>
  /** Wakes the agent, and never throws. Absent if the agent cannot be woken. */
  readonly wake?: () => void
  readonly ingestSpool: IngestSpool
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
  readonly now: () => number
  readonly random: () => number
}

export interface RoundOutcome {
  /** True if the store has answered. */
  readonly isReached: boolean
  /** Why the spool could not be written to, if it could not. */
  readonly trouble?: SpoolTrouble
  /** Run the next round after this time, because mail waits or the store was not asked. */
  readonly againMs?: number
}

/** Rounds of a courier: each asks the store once and acts on the answer. */
export interface Round {
  /** With `isWhole`, all pending messages are put into the spool, not only those after the cursor. */
  run(options: { readonly isWhole: boolean }): Promise<RoundOutcome>
  /** How many rounds have asked the store. */
  count(): number
  /** Whether the store answered the last round that asked it. */
  wasReached(): boolean
  /** The spool of the session that the last round found. */
  spool(): SessionSpool | undefined
  /** Wakes the agent if its session was at rest in the last round. */
  wakeIfAtRest(): void
}

/** After a failure, rounds within this time do not ask the store: no caller waits for another timeout. */
const AWAY_MS = 2_000

/** A busy session is shown its mail by its next hook. But the turn may end without one, so look again after this time. */
const WORKING_MS = 2_000

/** A nudge may be lost, so it is repeated with this backoff. */
const NUDGED_FROM_MS = 2_000
const NUDGED_TO_MS = 5 * 60_000

export function createRound(params: RoundParams & { readonly isStopped: () => boolean }): Round {
  const { agent, now, note, random } = params
  const nudges = createBackoff({ minMs: NUDGED_FROM_MS, maxMs: NUDGED_TO_MS, random })
  let count = 0
  let awaySince: number | undefined
  let target: Target | undefined
  let left: TargetSpool | undefined
  let spool: SessionSpool | undefined
  let cursor: InboxCursor = null
  let fault = ''
  aim(findTarget([], params))

  /** Notes a fault once, and again only if it changes. */
  function noteFault(event: string, text: string): void {
    if (text !== '' && text !== fault) note(event, { reason: text })
    fault = text
  }

  function aim(found: Target): void {
    const before = target?.spool
    target = found
    if (before?.path === found.spool?.path) return
    left = before
    spool = found.spool && openSessionSpool(found.spool.path)
    cursor = null
  }

  async function bring(postern: CourierPostern, isWhole: boolean): Promise<SpoolTrouble | undefined> {
    if (!spool) return undefined
    const { put } = spool
    if (spool.noticeDeletion()) cursor = null
    const before = cursor
    try {
      cursor = await spoolPending(postern, { agent, from: isWhole ? null : cursor, put })
      if (cursor !== before) nudges.reset()
      return undefined
    } catch (error) {
      if (!(error instanceof SpoolError)) throw error
      noteFault('courier.spool', error.message)
      return error.trouble
    }
  }

  async function ask(isWhole: boolean): Promise<RoundOutcome> {
    const postern = withTimeouts(await withTimeout(params.reach()))
    const mail = await readMailState(postern, agent, params)
    aim(mail.target)
    const trouble = await bring(postern, isWhole)
    const { missing } = mail.target
    if (!trouble) noteFault('courier.spool', missing === undefined ? '' : `there is no folder ${missing}`)
    if (left) await returnToInbox(postern, { agent, spool: left, ingestSpool: params.ingestSpool })
    left = undefined
    const againMs = wakeIfNeeded(mail.waking)
    return { isReached: true, ...(trouble && { trouble }), ...(againMs !== undefined && { againMs }) }
  }

  /** Wakes an idle agent while mail waits, and returns when to check whether that has helped. */
  function wakeIfNeeded(waking: number): number | undefined {
    if (waking === 0) nudges.reset()
    if (waking === 0 || !params.wake || params.isStopped()) return undefined
    if (!isAtRest(target?.session, now())) return WORKING_MS
    params.wake()
    return nudges.next()
  }

  return {
    async run({ isWhole }) {
      const awayMs = awaySince === undefined ? AWAY_MS : monotonicMs() - awaySince
      if (awayMs < AWAY_MS) return { isReached: false, againMs: AWAY_MS - awayMs }
      count++
      try {
        const outcome = await ask(isWhole)
        if (awaySince !== undefined) note('courier.store.back', {})
        awaySince = undefined
        return outcome
      } catch (error) {
        noteFault('courier.store.away', describe(error))
        awaySince = monotonicMs()
        return { isReached: false }
      }
    },
    count: () => count,
    wasReached: () => awaySince === undefined,
    spool: () => spool,
    wakeIfAtRest() {
      if (isAtRest(target?.session, now())) params.wake?.()
    },
  }
}

function describe(error: unknown): string {
  if (error instanceof PosternError) return `${error.message} [${error.code}]`
  return reasonOf(error)
}
