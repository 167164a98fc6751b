import { join } from 'node:path'
import { DEFAULT_LIMITS } from '../../src/model/limits.ts'
import type { Postern } from '../../src/model/postern.ts'
import { openLocal } from '../../test/helpers/open-local.ts'
import type { Body, System, SystemOptions } from './system.ts'

const LANES = 8
const AGENTS_PER_LANE = 16

/** Postern on its embedded store, as a program that imports it would use it. */
export async function openPostern(folder: string, options: SystemOptions = {}): Promise<System> {
  const postern = await openLocal(join(folder, 'postern.db'), { upkeep: false, limits: limitsFor(options) })
  return asSystem(postern, options)
}

export function limitsFor({ pending = 0 }: SystemOptions) {
  return { pendingPerAgent: Math.max(DEFAULT_LIMITS.pendingPerAgent, pending) }
}

/** Recipients change before an inbox gets full. */
export async function asSystem(postern: Postern, { pending = 5_000, lane = 0 }: SystemOptions): Promise<System> {
  if ((await postern.agents.list()).length === 0) {
    const names = Array.from({ length: LANES * AGENTS_PER_LANE }, (_, i) => agentName(i))
    await Promise.all(names.map((id) => postern.agents.add({ id })))
  }
  let place = lane * AGENTS_PER_LANE
  let waiting = 0
  const recipient = (count: number) => {
    if (waiting + count > pending) {
      waiting = 0
      place++
    }
    waiting += count
    return [agentName(place)]
  }
  const { inbox } = postern
  const take = async (agent: string, count: number): Promise<Body[]> => {
    const { offer, messages } = await inbox.drain({ agent, maxMessages: count })
    const bodies = messages.map(({ content }) => JSON.parse(content) as Body)
    if (offer) await inbox.confirm({ offerId: offer.id, evidence: 'printed', printed: true })
    return bodies
  }
  return {
    push: (content) => inbox.push({ to: recipient(1), content }),
    pushMany(bodies) {
      const to = recipient(bodies.length)
      return inbox.pushMany({ messages: bodies.map((content) => ({ to, content })) })
    },
    async drain(count) {
      waiting = 0
      return (await take(agentName(place), count)).length
    },
    async listen(onBody) {
      void listenFor(postern, agentName(place), onBody)
    },
    fanOut: (content, to) => inbox.push({ to, content }),
    close: () => postern.close(),
  }
}

/** The body is there once it is offered; what follows is not on the way of the message. */
async function listenFor({ inbox }: Postern, agent: string, onBody: (body: Body) => void): Promise<void> {
  for (;;) {
    await inbox.wait({ agent })
    const { offer, messages } = await inbox.drain({ agent })
    for (const { content } of messages) onBody(JSON.parse(content) as Body)
    if (offer) await inbox.confirm({ offerId: offer.id, evidence: 'printed', printed: true })
  }
}

export function agentName(index: number): string {
  return `agent-${index}`
}
