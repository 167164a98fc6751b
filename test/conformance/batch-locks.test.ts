import { describe, expect, it } from 'vitest'
import { assemble } from '../../src/host/open/open.ts'
import { openPostgres } from '../../src/host/open/store.ts'
import type { Caller } from '../../src/model/caller.ts'
import type { LocalPostern, PushMessage } from '../../src/model/postern.ts'
import { spaceAddress } from '../../src/model/sources/space.ts'
import { usePostgres, type World } from '../helpers/postgres-store.ts'

const createWorld = usePostgres()

const MACHINES = ['ada', 'bert', 'cleo', 'dora']
const PEOPLE = ['amy', 'sam', 'zoe']
const SPACES = ['alpha', 'beta']
const SENDERS = ['ada', 'bert', 'cleo', 'guy', 'hal']

describe('batches of several senders', () => {
  it('never wait for each other in a circle, whatever the order of their recipients', async () => {
    const world = await createWorld()
    const { store, wire } = await openPostgres(world.url)
    // A rate that is soon spent, so that people are told while recipients are locked.
    const limits = { pairBurst: 3, pairPerMinute: 1 }
    const postern = assemble(store, wire, { upkeep: false, limits })
    await settle(postern)
    const shuffle = shuffler(25)
    const rounds = SENDERS.map(async (sender) => {
      for (let round = 0; round < 6; round++) {
        const caller: Caller = { id: sender, kind: round % 3 === 2 ? 'human' : 'ai', verified: true, via: 'sdk' }
        await postern.as(caller).inbox.pushMany({ messages: shuffle(batchOf(shuffle, caller, round)) })
        // A plain push takes another way through the store, and locks the same inboxes.
        await postern.inbox.push({ to: shuffle([...MACHINES, ...PEOPLE]).slice(0, 3), content: 'plain' })
      }
    })
    await Promise.all(rounds)
    await postern.close()
    expect(await deadlocks(world)).toBe(0)
  }, 60_000)
})

async function settle(postern: LocalPostern): Promise<void> {
  for (const id of [...new Set([...MACHINES, ...SENDERS])]) await postern.agents.add({ id })
  for (const id of PEOPLE) await postern.agents.add({ id, kind: 'human', isOwner: id === 'sam' })
  for (const id of SPACES) {
    await postern.spaces.create({ id, name: id })
    for (const agent of [...MACHINES, ...PEOPLE]) await postern.spaces.join({ id, agent })
  }
}

/** Direct messages, some of them to people, posts in spaces, and broadcasts of people. */
function batchOf(shuffle: <T>(list: readonly T[]) => T[], caller: Caller, round: number): PushMessage[] {
  const direct = shuffle(MACHINES)
    .slice(0, 3)
    .map((to) => ({ to: [to], content: `round ${round}` }))
  const person = { to: shuffle(PEOPLE).slice(0, 1), content: 'for a person' }
  const isMember = MACHINES.includes(caller.id)
  const posts = shuffle(SPACES).map((space) => ({ to: [spaceAddress(space)], content: 'for a space' }))
  const broadcast = { to: ['all'], content: 'for all' }
  return [
    ...direct,
    ...(round % 2 ? [person] : []),
    ...(isMember ? posts : []),
    ...(caller.kind === 'human' ? [broadcast] : []),
  ]
}

/** A shuffle that is the same in every run. */
function shuffler(seed: number): <T>(list: readonly T[]) => T[] {
  let state = seed
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state
  }
  return (list) =>
    list
      .map((item) => ({ item, at: random() }))
      .sort((a, b) => a.at - b.at)
      .map(({ item }) => item)
}

/** The server counts a deadlock when the connection that lost it ends. */
async function deadlocks({ connect }: World): Promise<number> {
  const client = await connect()
  for (;;) {
    const { rows } = await client.query(`SELECT d.deadlocks, (SELECT count(*) FROM pg_stat_activity a
      WHERE a.datname = d.datname AND a.pid <> pg_backend_pid()) AS others FROM pg_stat_database d WHERE d.datname = current_database()`)
    if (Number(rows[0].others) === 0) return Number(rows[0].deadlocks)
  }
}
