import { computed } from '@preact/signals'
import { postern } from '../api/postern.ts'
import { createLive } from '../live/create-live.ts'

/** Everybody with an inbox: names for ids, and whom one can write to. */
export const directory = createLive({
  load: () => postern.agents.list({}),
  on: ['agent.*', 'session.*'],
})

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
