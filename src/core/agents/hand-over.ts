import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import { askInstead } from '../decisions/create.ts'
import { waitingNotice } from '../gates/create.ts'
import { endUnanswered } from '../gates/question.ts'
import { waitsKey } from '../gates/requests.ts'
import { requireLeave } from '../gates/resolve.ts'
import { NOTICE_KEYS, responsiblePeople, tellPeople } from '../notices/notice.ts'

const MAX_QUESTIONS = 1_000
const MAX_GATES = 1_000

/**
 * Hands over the open questions and gates of a person who is being removed. A question put to others too stays with
 * them; otherwise
 * the owners are asked, or every person. A question with nobody left to ask ends as if it had timed out.
 */
export async function handOver(ctx: Context, tx: Shelves, leaving: string): Promise<readonly string[]> {
  return [...(await handOverQuestions(ctx, tx, leaving)), ...(await handOverGates(ctx, tx, leaving))]
}

async function handOverQuestions(ctx: Context, tx: Shelves, leaving: string): Promise<readonly string[]> {
  const rings: string[] = []
  const open = await tx.decisions.list({ concerning: leaving, states: ['open'], limit: MAX_QUESTIONS })
  for (const { gateId } of open.filter(({ asked }) => asked.includes(leaving))) {
    const gate = await tx.gates.get(gateId)
    const decision = gate && (await tx.decisions.ofGate(gateId))
    if (!gate || decision?.state !== 'open') continue
    const others = decision.asked.filter((id) => id !== leaving)
    const people = others.length > 0 ? others : await responsiblePeople(tx, leaving)
    const asked = people.filter((id) => id !== decision.agent)
    if (asked.length > 0) {
      await tx.decisions.putTo({ id: decision.id, asked })
      if (others.length === 0) rings.push(...(await askInstead(ctx, tx, { ...decision, asked }, leaving)))
      continue
    }
    if (ctx.caller.kind !== 'human') requireLeave(ctx.caller, gate, 'waived')
    const ended = await endUnanswered(ctx, tx, gate, `${leaving}, the last person who could answer, was removed`)
    rings.push(...(ended?.rings ?? []))
  }
  return rings
}

/** Any person may open such a gate, so it is enough that one person is told of it. */
async function handOverGates(ctx: Context, tx: Shelves, leaving: string): Promise<readonly string[]> {
  const rings: string[] = []
  const begin = `${NOTICE_KEYS}${waitsKey('')}`
  const keys = await tx.deliveries.keysOf({ agent: leaving, prefix: begin, limit: MAX_GATES })
  if (keys.length === 0) return rings
  const others = (await tx.agents.list({ removed: false })).map(({ id }) => id).filter((id) => id !== leaving)
  for (const dedupKey of keys) {
    const gate = await tx.gates.get(dedupKey.slice(begin.length))
    if (gate?.state !== 'open' || (await tx.deliveries.withKey({ agents: others, dedupKey })).length > 0) continue
    const { cause: _, asks: __, ...notice } = waitingNotice(gate)
    rings.push(...(await tellPeople(ctx, tx, notice, leaving)))
  }
  return rings
}
