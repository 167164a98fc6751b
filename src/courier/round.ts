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
  /** The Postern, opened or connected on first use and again after that failed. */
  readonly reach: () => Promise<CourierPostern>
  /** Tells whoever runs the agent that there is something to look at, and throws nothing; absent where nobody can be told. */
  readonly wake?: () => void
  readonly ingestSpool: IngestSpool
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
  readonly now: () => number
  readonly random: () => number
}

export interface Outcome {
  /** The store has answered. */
  readonly isReached: boolean
  /** Why the spool could not be written to, if it could not. */
  readonly trouble?: SpoolTrouble
  /** Mail waits, or the store was not asked, so look again after this time. */
  readonly againMs?: number
}

/** One question to the store, and what follows from its answer. */
export interface Round {
  run(options: { readonly isWhole: boolean }): Promise<Outcome>
  /** How many have begun. */
  count(): number
  /** Whether the store has answered the last time it was asked. */
  wasReached(): boolean
  /** As far as is known. */
  spool(): SessionSpool | undefined
  /** Wakes the agent where it was at rest when last seen. */
  wakeIfAtRest(): void
}

/** While the store is away nobody else waits for it to be missed again. */
const AWAY_MS = 2_000

/** A session that works is shown its mail by its next hook. But it may come to rest after its last one. */
const WORKING_MS = 2_000

/** A nudge may be lost. */
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

  /** Says once what is wrong, and again only when it has changed. */
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

  async function ask(isWhole: boolean): Promise<Outcome> {
    const postern = withTimeouts(await withTimeout(params.reach()))
    const mail = await readMailState(postern, agent, params)
    aim(mail.target)
    const trouble = await bring(postern, isWhole)
    const { missing } = mail.target
    if (!trouble) noteFault('courier.spool', missing === undefined ? '' : `there is no folder ${missing}`)
    if (left) await returnToInbox(postern, { agent, spool: left, ingestSpool: params.ingestSpool })
    left = undefined
    const againMs = follow(mail.waking)
    return { isReached: true, ...(trouble && { trouble }), ...(againMs !== undefined && { againMs }) }
  }

  /** Wakes whoever rests while mail waits, and says when to look again whether that has helped. */
  function follow(waking: number): number | undefined {
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
