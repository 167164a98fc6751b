import { formatDuration } from '../../kit/pure/duration.ts'
import { ulidFloor } from '../../kit/pure/ulid.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import { type DeliveryTrace, POPPED_STEP } from '../../model/receipt.ts'
import type { Session } from '../../model/session.ts'
import type { Context } from '../context.ts'
import { livenessOf } from '../sessions/sessions.ts'

/** Says in words, for each recipient, why a message has not been seen, or when it was. */
export async function explain(ctx: Context, message: Message, deliveries: readonly DeliveryTrace[]): Promise<string> {
  if (deliveries.length === 0) {
    return message.to[0] === EVERYBODY
      ? 'It is a broadcast, and nobody has taken it up yet.'
      : 'It has no deliveries; "postern doctor" checks the store.'
  }
  const sentences: string[] = []
  for (const delivery of deliveries) sentences.push(await sentenceFor(ctx, delivery))
  return sentences.join(' ')
}

async function sentenceFor(ctx: Context, delivery: DeliveryTrace): Promise<string> {
  const { agent, state } = delivery
  switch (state) {
    case 'acted':
      return `${agent} has dealt with it.`
    case 'seen':
      return `${agent} has seen it; it has not been acknowledged.`
    case 'offered':
      return offeredSentence(ctx, delivery)
    case 'pending':
      return pendingSentence(ctx, delivery)
    case 'held':
      if (delivery.snoozedUntilAt !== null)
        return `${agent} has put it off until ${new Date(delivery.snoozedUntilAt).toISOString()}; it is pending again then.`
      return `It is held for ${agent}, because a program wrote too often; a person can release it.`
    case 'expired':
      return isPopped(delivery)
        ? `It was popped from the list of ${agent}, and never acknowledged.`
        : `It expired before ${agent} was shown it.`
    case 'cancelled':
      return `It was cancelled before ${agent} was shown it.`
    case 'dead':
      if (delivery.steps.findLast(({ step }) => ENDS.includes(step))?.step === 'quarantined')
        return `It is damaged in the store, so ${agent} is not shown it. "postern doctor --full" checks the store.`
      return `It came back from ${agent} unconfirmed too often (attempt ${delivery.attempt}); it is put aside until somebody retries it.`
  }
}

/** Steps by which a delivery becomes dead. */
const ENDS: readonly string[] = ['dead', 'quarantined']

/** Whether the last that is known of it is that a foreign consumer took it. */
function isPopped({ steps, offeredAt }: DeliveryTrace): boolean {
  return steps.some(({ step, at }) => step === POPPED_STEP && at >= (offeredAt ?? 0))
}

function offeredSentence(ctx: Context, delivery: DeliveryTrace): string {
  const { agent, attempt, printedAt, leaseExpiresAt } = delivery
  const left = formatDuration(Math.max(0, (leaseExpiresAt ?? 0) - ctx.store.now()))
  if (isPopped(delivery))
    return `It was popped from the list of ${agent}; only an acknowledgement tells whether it was read, and without one it is over in ${left}.`
  const shown =
    printedAt === null ? 'was offered it but its text has not been printed yet' : 'was shown it and has not gone on yet'
  return `${agent} ${shown} (attempt ${attempt}); without confirmation it is pending again in ${left}.`
}

async function pendingSentence(ctx: Context, { agent, attempt, storedAt, steps }: DeliveryTrace): Promise<string> {
  const waited = formatDuration(Math.max(0, ctx.store.now() - storedAt))
  const [session] = await ctx.store.read.sessions.open({ agent })
  const clause = sessionClause(ctx, session)
  if (attempt > 0) {
    const times = attempt === 1 ? 'once, and it came back' : `${attempt} times, and it came back each time`
    return `${agent} was offered it ${times}; it came ${waited} ago${clause}.`
  }
  if (steps.at(-1)?.step === 'released')
    return `${agent} was offered it, but nothing was printed, and it came back; it came ${waited} ago${clause}.`
  // Offers are numbered by their time, so the message's own time tells which of them are younger.
  const hasDrained = await ctx.store.read.offers.hasSince({ agent, id: `off_${ulidFloor(storedAt)}` })
  return hasDrained
    ? `${agent} has drained since, but other messages went first; it came ${waited} ago${clause}.`
    : `${agent} has not drained its inbox since it came, ${waited} ago${clause}.`
}

function sessionClause(ctx: Context, session: Session | undefined): string {
  if (!session) return ', and has no session'
  const since = formatDuration(Math.max(0, ctx.store.now() - session.lastEventAt))
  const liveness = livenessOf(ctx, session)
  if (liveness === 'gone') return `, and the process of its last session (${session.host}) is gone`
  return `; its session (${session.host}) was last heard of ${since} ago`
}
