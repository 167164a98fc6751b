import type { IconName } from '../parts/icon.tsx'
import type { ScreenName } from '../router/route.ts'

export interface Place {
  readonly screen: ScreenName
  readonly title: string
  readonly icon: IconName
  /** The key after `g` that leads there. */
  readonly letter: string
}

interface PlaceGroup {
  readonly title: string
  readonly places: readonly Place[]
}

/** The screens as the side shows them. A trace is reached from its message. */
export const PLACE_GROUPS: readonly PlaceGroup[] = [
  {
    title: 'You',
    places: [
      { screen: 'inbox', title: 'My inbox', icon: 'inbox', letter: 'i' },
      { screen: 'decisions', title: 'Decisions', icon: 'decision', letter: 'd' },
      { screen: 'gates', title: 'Gates', icon: 'gate', letter: 'g' },
    ],
  },
  {
    title: 'Talk',
    places: [
      { screen: 'spaces', title: 'Spaces', icon: 'space', letter: 's' },
      { screen: 'bus', title: 'Bus', icon: 'bus', letter: 'b' },
    ],
  },
  {
    title: 'Wake',
    places: [
      { screen: 'plans', title: 'Plans', icon: 'plan', letter: 'p' },
      { screen: 'services', title: 'Services', icon: 'service', letter: 'v' },
    ],
  },
  {
    title: 'Know',
    places: [
      { screen: 'agents', title: 'Agents', icon: 'agent', letter: 'a' },
      { screen: 'trace', title: 'Trace', icon: 'trace', letter: 't' },
      { screen: 'ledger', title: 'Ledger', icon: 'ledger', letter: 'l' },
      { screen: 'metrics', title: 'Metrics', icon: 'metrics', letter: 'm' },
      { screen: 'doctor', title: 'Doctor', icon: 'doctor', letter: 'o' },
    ],
  },
]

export const PLACES: readonly Place[] = PLACE_GROUPS.flatMap(({ places }) => places)
