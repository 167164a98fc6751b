import { type Agent, parseAgentId, skeletonOf } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import type { Shelves } from '../../store/store.ts'

/** Returns the agent, or refuses if it is unknown or removed. The error suggests a similar name. */
export async function requireAgent(shelves: Shelves, id: string): Promise<Agent> {
  const agent = await shelves.agents.get(parseAgentId(id))
  if (agent && agent.removedAt === null) return agent
  throw await unknownAgent(shelves, id)
}

export async function unknownAgent(shelves: Shelves, id: string): Promise<PosternError> {
  if (await shelves.agents.get(id)) {
    return new PosternError('AGENT_NOT_FOUND', { id, hint: ' It was removed.', restore: ' --restore' })
  }
  const agents = await shelves.agents.list({ removed: false })
  const near = agents.map((agent) => agent.id).find((other) => isNear(id, other))
  return new PosternError('AGENT_NOT_FOUND', { id, hint: near ? ` Did you mean ${near}?` : '' })
}

/** True if the known name starts with the asked one, looks like it, or differs from it by one letter or one swap. */
function isNear(asked: string, known: string): boolean {
  if (known.startsWith(asked) || skeletonOf(asked) === skeletonOf(known)) return true
  if (Math.abs(asked.length - known.length) > 1) return false
  let start = 0
  while (start < asked.length && asked[start] === known[start]) start++
  let end = 0
  while (end < Math.min(asked.length, known.length) - start && asked.at(-1 - end) === known.at(-1 - end)) end++
  const [left, right] = [asked.slice(start, asked.length - end), known.slice(start, known.length - end)]
  return (left.length <= 1 && right.length <= 1) || (left.length === 2 && right === `${left[1]}${left[0]}`)
}
