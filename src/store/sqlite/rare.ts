import type { AlikeShelves } from '../shelves/alike.ts'
import type { Sql } from '../sql.ts'
import type { MessageShelf, UpkeepShelf } from '../store.ts'

export type RareShelves = AlikeShelves & {
  readonly searcher: Pick<MessageShelf, 'indexForSearch' | 'search'>
  readonly sweeper: Pick<UpkeepShelf, 'forgetSessions' | 'reap' | 'counts'>
}

/**
 * Each shelf's calls in one text, which takes less room in what is loaded often. A test compares them with the shelves.
 * The ledger's are too many even for that: it answers to any name.
 */
const CALLS: Readonly<Record<Exclude<keyof RareShelves, 'ledger'>, string>> = {
  snoozes: 'pendingOf snooze wake due hasDue seenBy countSnoozed',
  history: 'recent fired pushed delivered waiting offered',
  gates:
    'insert get list openOf awaiting awaitingService due close tend record steps register registered mark marks reap',
  decisions: 'insert get ofGate list close hasAsked',
  spaces:
    'insert get list close members isMember join leave leaveAll post withKey ofMessage history following setActive active',
  plans: 'insert get ofName lock list count update delete deleteOf due claim nextAt reap',
  services: 'insert get ofAgent list update heard isNamed',
  tokens: 'insert get withHash list revoke prune',
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
  const callOn = (name: keyof RareShelves, call: string) => async (params: never) =>
    ((await load())[name] as unknown as Record<string, (params: never) => unknown>)[call]?.(params)
  const shelves = Object.entries(CALLS).map(([name, calls]) => [
    name,
    Object.fromEntries(calls.split(' ').map((call) => [call, callOn(name as keyof RareShelves, call)])),
  ])
  // Whoever awaits it by mistake must not wait for ever.
  const get = (_: object, call: string) => (call === 'then' ? undefined : callOn('ledger', call))
  return { ...Object.fromEntries(shelves), ledger: new Proxy({}, { get }) }
}
