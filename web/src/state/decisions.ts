import { computed } from '@preact/signals'
import { postern } from '../api/postern.ts'
import { createLive } from '../live/create-live.ts'
import { me } from './me.ts'

/** The questions that are open, whoever is asked. */
export const openDecisions = createLive({
  load: () => postern.decisions.list({ limit: 500 }),
  on: ['decision.*'],
})

/** Those of them that wait for the person who looks. */
export const myDecisions = computed(
  () => openDecisions.value.value?.filter(({ asked, state }) => state === 'open' && asked.includes(me.value)) ?? [],
)

/** The gates that hold somebody now. */
export const openGates = createLive({
  load: () => postern.gates.list({ limit: 500 }),
  on: ['gate.*'],
})
