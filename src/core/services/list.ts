import { parseAgentId } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import { isServiceName, type Service } from '../../model/sources/service.ts'
import type { ServiceRef } from '../../model/sources/services.ts'
import type { ServiceRecord, Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'

export async function listServices(
  ctx: Context,
  { agent, revoked = false }: { readonly agent?: string; readonly revoked?: boolean } = {},
): Promise<readonly Service[]> {
  const of = agent === undefined ? {} : { agent: parseAgentId(agent) }
  const records = await ctx.store.read.services.list({ ...of, revoked })
  return records.map(({ service }) => service)
}

/** By its id, or by its name, where only one agent has a service of that name or the agent is said too. */
export async function findService(shelves: Shelves, { id, agent }: ServiceRef): Promise<ServiceRecord> {
  requireStorable(id, 'SERVICE_NOT_FOUND')
  const found = await shelves.services.get(isServiceName(id) ? await idOfName(shelves, id, agent) : id)
  if (!found || (agent !== undefined && found.service.agent !== agent)) {
    throw new PosternError('SERVICE_NOT_FOUND', { id })
  }
  return found
}

async function idOfName(shelves: Shelves, name: string, agent: string | undefined): Promise<string> {
  const of = agent === undefined ? {} : { agent: parseAgentId(agent) }
  const records = await shelves.services.list({ ...of, revoked: false })
  const [only, ...others] = records.filter(({ service }) => service.name === name)
  if (!only) throw new PosternError('SERVICE_NOT_FOUND', { id: name })
  if (others.length === 0) return only.service.id
  throw new PosternError('VALUE_INVALID', {
    field: 'service',
    value: name,
    next: 'Several agents have a service of that name: say whose is meant, or use its id.',
  })
}
