import type { Sql } from '../sql.ts'
import type { MessageShelf, Shelves, UpkeepShelf } from '../store.ts'

export type RareShelves = Pick<
  Shelves,
  'gates' | 'decisions' | 'spaces' | 'plans' | 'services' | 'tokens' | 'replies' | 'events' | 'inheritances' | 'relays'
> & {
  readonly searcher: Pick<MessageShelf, 'indexForSearch' | 'search'>
  readonly sweeper: Pick<UpkeepShelf, 'forgetSessions' | 'reap' | 'counts'>
}

/** Each shelf's calls in one text, which takes less room in what is loaded often. A test compares them with the shelves. */
const CALLS: Readonly<Record<keyof RareShelves, string>> = {
  gates:
    'insert get list openOf awaiting awaitingService due close tend record steps register registered mark marks reap',
  decisions: 'insert get ofGate list close hasAsked',
  spaces:
    'insert get list close members isMember join leave leaveAll post withKey ofMessage history following setActive active',
  plans: 'insert get ofName lock list count update delete deleteOf due claim nextAt reap',
  services: 'insert get ofAgent list update heard isNamed',
  tokens: 'insert get withHash list revoke',
  replies: 'claim keep drop reap',
  events: 'after last reap',
  inheritances: 'get open ofSession insert setPrinted close cost addRoot hasRoot roots',
  relays: 'get lead keep after countAfter',
  searcher: 'indexForSearch search',
  sweeper: 'forgetSessions reap counts',
}

/** Shelves whose code is loaded with the first call on one of them. */
export function createRareShelves(sql: Sql): RareShelves {
  let loaded: Promise<RareShelves> | undefined
  const load = () => {
    loaded ??= import('./rare-shelves.ts').then(({ createWholeShelves }) => createWholeShelves(sql))
    return loaded
  }
  const shelf = (name: keyof RareShelves) =>
    Object.fromEntries(
      CALLS[name]
        .split(' ')
        .map((call) => [
          call,
          async (params: never) =>
            ((await load())[name] as unknown as Record<string, (params: never) => unknown>)[call]?.(params),
        ]),
    )
  return Object.fromEntries(
    Object.keys(CALLS).map((name) => [name, shelf(name as keyof RareShelves)]),
  ) as unknown as RareShelves
}
