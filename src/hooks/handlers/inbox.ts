import { isSpoolWaiting } from '../../host/spool-place.ts'
import type { Drained } from '../../model/postern.ts'
import type { Priority } from '../../model/priority.ts'
import { renderDrain } from '../../render/drain.ts'
import type { Handler, HookCall, Verdict } from '../handler.ts'
import { HOOK_EVENTS } from '../hosts/host.ts'
import { inTime, untilLate } from '../in-time.ts'
import { gates } from './gates.ts'

/** With less room than this nothing could be shown but a headline. */
const LEAST_ROOM = 500
const LEAST_TOKENS = 150
const SPOOL_PATIENCE_MS = 300
/** From half of that on it is only said that many wait. */
const COUNT_UP_TO = 2_000

/** Takes what stands in the spool into the store, and shows what waits, where the host passes it on to the model. */
export const inbox: Handler = {
  name: 'inbox',
  priority: 30,
  events: HOOK_EVENTS,

  async handle(call) {
    const { event, host } = call
    const maxPriority = host.drains[event.name]
    if (event.isSubagent || maxPriority === undefined || !host.injects.includes(event.name)) return undefined
    try {
      return await showMail(call, maxPriority)
    } catch (error) {
      // The verdict of the gates is known by now, and never fails with mail: a later hook shows it.
      if (!gates.events.includes(event.name)) throw error
      call.note(error)
      return undefined
    }
  },
}

async function showMail(call: HookCall, maxPriority: Priority): Promise<Verdict | undefined> {
  const { event, host, agent, postern, settings, limits } = call
  // A spool belongs to the agent of its session.
  if (!call.refusal && !call.isForeign) await takeSpool(call)
  // To show mail at a stop puts the stop off.
  if (event.name === 'turn.stop' && call.isLoopBroken) return undefined
  const maxCharacters = Math.min(host.maxCharacters, limits.drainCharacters) - call.used
  const maxTokens = host.maxTokens === null ? null : host.maxTokens - call.usedTokens
  if (maxCharacters < LEAST_ROOM || (maxTokens !== null && maxTokens < LEAST_TOKENS)) return undefined
  const drain = postern.hooks.drain({
    agent,
    ...(!call.refusal && { sessionId: event.sessionId }),
    via: event.name,
    maxMessages: limits.drainMessages,
    maxCharacters,
    ...(maxTokens !== null && { maxTokens }),
    maxPriority,
    countUpTo: COUNT_UP_TO,
  })
  const drained = await inTime(untilLate(settings), drain, (late) => release(call, late))
  if (!drained.offer) return undefined
  try {
    return { context: renderDrain(drained, { nonce: settings.nonce() }), offer: drained.offer }
  } catch (error) {
    await release(call, drained)
    throw error
  }
}

async function release({ postern }: HookCall, { offer }: Drained): Promise<void> {
  if (offer) await postern.inbox.release({ offerId: offer.id, reason: 'the mail came too late for its hook' })
}

/** Few sessions have a spool, so what takes it is loaded on use. One that cannot be used now keeps what it has. */
async function takeSpool({ postern, agent, event, root, leftMs }: HookCall): Promise<void> {
  if (!isSpoolWaiting({ root, sessionId: event.sessionId })) return
  const { ingestSpool, SpoolError } = await import('../../host/spool.ts')
  const patienceMs = Math.max(0, Math.min(SPOOL_PATIENCE_MS, leftMs()))
  try {
    await ingestSpool(postern, { agent, sessionId: event.sessionId, root, patienceMs })
  } catch (error) {
    if (!(error instanceof SpoolError)) throw error
  }
}
