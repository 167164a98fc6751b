import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import { requireStorable } from '../../model/ids.ts'
import { EVERYBODY, type Message } from '../../model/message.ts'
import { spaceOf } from '../../model/sources/space.ts'
import type { Shelves } from '../../store/store.ts'
import type { Context } from '../context.ts'
import type { PushDraft } from '../deliveries/deliver.ts'
import { draftAgent, registerAgent } from '../registry/register.ts'
import { lockSpaces } from '../spaces/fan-out.ts'

/**
 * Locks everything that a batch writes to, before it writes anything. Every batch takes its locks in this order, or two
 * batches could wait for each other: names of new agents, spaces, answered messages, gates, the broadcast counter,
 * machines, people.
 */
export async function lockBatch(ctx: Context, tx: Shelves, drafts: readonly PushDraft[]): Promise<void> {
  const messages = drafts.map(({ message }) => message)
  await createMissing(ctx, tx, drafts)
  await lockSpaces(tx, drafts)
  if (messages.length > 1) await lockParents(tx, messages)
  const ids = await recipientsOf(tx, messages)
  // A message to one agent locks nothing but that agent, and after it the people who are told.
  if (messages.length === 1 && ids.length <= 1) return
  const withBroadcasts = messages.some(({ to }) => to[0] === EVERYBODY)
  const known = new Set(await tx.agents.lock({ ids, withPeople: isProgram(ctx.caller), withBroadcasts }))
  const id = ids.find((each) => !known.has(each))
  if (id !== undefined) throw new PosternError('AGENT_NOT_FOUND', { id })
}

async function createMissing(ctx: Context, tx: Shelves, drafts: readonly PushDraft[]): Promise<void> {
  const ids = drafts.flatMap(({ input, message }) => (input.create ? message.to.filter(isAgent) : []))
  for (const id of [...new Set(ids)].sort()) {
    const known = await tx.agents.get(id)
    if (known?.removedAt !== null) await registerAgent(tx, draftAgent(ctx, { id }), { id })
  }
}

function isAgent(address: string): boolean {
  return address !== EVERYBODY && spaceOf(address) === undefined
}

async function lockParents(tx: Shelves, messages: readonly Message[]): Promise<void> {
  const parents = [...new Set(messages.flatMap(({ replyTo }) => replyTo ?? []))].sort()
  for (const id of parents) {
    requireStorable(id, 'MESSAGE_NOT_FOUND')
    await tx.messages.getAnswered(id)
  }
  for (const awaits of parents) await tx.gates.awaiting({ awaits })
}

/** The agents that a batch names, and the members of the spaces that it posts in. The spaces are locked. */
async function recipientsOf(tx: Shelves, messages: readonly Message[]): Promise<readonly string[]> {
  const named = messages.flatMap(({ to }) => to)
  const spaces = [...new Set(named.flatMap((address) => spaceOf(address) ?? []))]
  const members: string[] = []
  for (const id of spaces) members.push(...(await tx.spaces.members(id)).map(({ agent }) => agent))
  return [...new Set([...named.filter(isAgent), ...members])]
}
