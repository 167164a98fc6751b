import type { Sql } from '../sql.ts'
import type { MessageShelf, Shelves, UpkeepShelf } from '../store.ts'

type Rare = Pick<Shelves, 'gates' | 'decisions' | 'spaces' | 'plans' | 'services' | 'tokens' | 'replies' | 'events'> & {
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
    'awaitingService',
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
  spaces: [
    'insert',
    'get',
    'list',
    'close',
    'members',
    'isMember',
    'join',
    'leave',
    'leaveAll',
    'post',
    'withKey',
    'ofMessage',
    'history',
    'following',
    'setActive',
    'active',
  ],
  plans: [
    'insert',
    'get',
    'ofName',
    'lock',
    'list',
    'count',
    'update',
    'delete',
    'deleteOf',
    'due',
    'claim',
    'nextAt',
    'reap',
  ],
  services: ['insert', 'get', 'ofAgent', 'list', 'update', 'heard', 'isNamed'],
  tokens: ['insert', 'get', 'withHash', 'list', 'revoke'],
  replies: ['claim', 'keep', 'drop', 'reap'],
  events: ['after', 'last', 'reap'],
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
      spaces: rare.createSpaceShelf(sql),
      plans: rare.createPlanShelf(sql),
      services: rare.createServiceShelf(sql),
      tokens: rare.createTokenShelf(sql),
      replies: rare.createReplyShelf(sql),
      events: rare.createEventShelf(sql),
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
