import type { Sql } from '../sql.ts'
import type { MessageShelf, Shelves, UpkeepShelf } from '../store.ts'

type Rare = Pick<Shelves, 'gates' | 'decisions'> & {
  readonly searcher: Pick<MessageShelf, 'indexForSearch' | 'search'>
  readonly sweeper: Pick<UpkeepShelf, 'forgetSessions' | 'reap' | 'counts'>
}

const CALLS = {
  gates: [
    'insert',
    'get',
    'list',
    'openOf',
    'awaiting',
    'due',
    'close',
    'tend',
    'record',
    'steps',
    'register',
    'registered',
    'mark',
    'marks',
    'reap',
  ],
  decisions: ['insert', 'get', 'ofGate', 'list', 'close', 'hasAsked'],
  searcher: ['indexForSearch', 'search'],
  sweeper: ['forgetSessions', 'reap', 'counts'],
} as const satisfies { readonly [S in keyof Rare]: readonly (keyof Rare[S])[] }

/** Shelves whose code is loaded with the first call on one of them. */
export function createRareShelves(sql: Sql): Rare {
  let loaded: Promise<Rare> | undefined
  const load = () => {
    loaded ??= import('./rare-shelves.ts').then((rare) => ({
      gates: rare.createGateShelf(sql),
      decisions: rare.createDecisionShelf(sql),
      searcher: rare.createSearcher(sql),
      sweeper: rare.createSweeper(sql),
    }))
    return loaded
  }
  const shelf = (name: keyof Rare) =>
    Object.fromEntries(
      CALLS[name].map((call) => [
        call,
        async (params: never) =>
          ((await load())[name] as unknown as Record<string, (params: never) => unknown>)[call]?.(params),
      ]),
    )
  return Object.fromEntries(Object.keys(CALLS).map((name) => [name, shelf(name as keyof Rare)])) as unknown as Rare
}
