import { computed } from '@preact/signals'
import type { AgentStatus } from '../../../src/model/postern.ts'
import { postern } from '../api/postern.ts'
import { listen, type News } from '../live/connection.ts'
import { createLive } from '../live/create-live.ts'

/** How many agents are asked for by themselves; of more, the whole list is asked for. */
const MANY = 20
const GATHER_MS = 600
const PAGE = 1_000

const source = createLive({
  load: loadAll,
  // What concerns everybody; the agents that an event names are asked for alone.
  on: (news) => isWanted(news) && namedBy(news) === null,
})

/** Load page by page: one answer with thousands of agents would block the server for other callers. */
async function loadAll(): Promise<readonly AgentStatus[]> {
  const all: AgentStatus[] = []
  for (;;) {
    const last = all.at(-1)?.id
    const page = await postern.agents.list({ limit: PAGE, ...(last !== undefined && { after: last }) })
    all.push(...page)
    if (page.length < PAGE) return all
  }
}

/** How many parts of the page show what waits for each agent. */
let mailReaders = 0
const stale = new Set<string>()
let isDue = false

function isWanted({ type }: News): boolean {
  if (type.startsWith('agent.') || type.startsWith('session.')) return true
  return mailReaders > 0 && (type === 'message.created' || type.startsWith('delivery.'))
}

/** Null where that is everybody. */
function namedBy({ type, subject, agents }: News): readonly string[] | null {
  return type.startsWith('agent.') ? [subject] : agents
}

function hear(news: News): void {
  if (!isWanted(news)) return
  // Whoever is not registered, such as a sender on this machine, is in no list.
  const isNew = news.type.startsWith('agent.')
  for (const id of namedBy(news) ?? []) if (isNew || agentOf(id)) stale.add(id)
  if (stale.size === 0 || isDue) return
  isDue = true
  setTimeout(askForStale, GATHER_MS)
}

async function askForStale(): Promise<void> {
  const ids = [...stale]
  stale.clear()
  isDue = false
  if (ids.length > MANY) return source.refresh()
  try {
    const fresh = await Promise.all(ids.map((id) => postern.agents.show({ id })))
    source.amend((known) => withAgents(known, fresh))
  } catch {
    source.refresh()
  }
}

function withAgents(known: readonly AgentStatus[], fresh: readonly AgentStatus[]): readonly AgentStatus[] {
  const byId = new Map(fresh.map((agent) => [agent.id, agent]))
  const kept = known.map((agent) => byId.get(agent.id) ?? agent)
  const ids = new Set(known.map(({ id }) => id))
  const all = [...kept, ...fresh.filter(({ id }) => !ids.has(id))].filter(({ removedAt }) => removedAt === null)
  return all.length === known.length ? all : all.sort((one, other) => (one.id < other.id ? -1 : 1))
}

/**
 * Everybody with an inbox: names for ids, and whom one can write to. Only who is named by an event is asked for again.
 */
export const directory = {
  ...source,
  start() {
    source.start()
    listen(hear)
  },
}

/** Keeps what waits for each agent up to date, until the returned function is called. */
export function followMail(): () => void {
  mailReaders++
  // What is being loaded for the first time holds it already.
  if (source.value.peek() !== undefined) source.refresh()
  return () => {
    mailReaders--
  }
}

const byId = computed(() => new Map(directory.value.value?.map((agent) => [agent.id, agent]) ?? []))

export function agentOf(id: string) {
  return byId.value.get(id)
}

export function nameOf(id: string): string {
  return byId.value.get(id)?.displayName || id
}

/** The conversations that are open. */
export const spaces = createLive({
  load: () => postern.spaces.list({}),
  on: ['space.*'],
})
