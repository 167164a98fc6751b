import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { randomBytes } from '../src/kit/node/crypto.ts'
import { createUlid, ulidFloor } from '../src/kit/pure/ulid.ts'
import { DEFAULT_LIMITS } from '../src/model/limits.ts'
import type { Postern } from '../src/model/postern.ts'
import { openSqliteStore } from '../src/store/sqlite/store.ts'
import { openLocal } from '../test/helpers/open-local.ts'
import { type Contestant, timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'
import { makeBody } from './systems/system.ts'

const SMALL = 1_000
const AGENTS = 200
const DRAIN = 20
const PRUNED = 1_000
const DAY_MS = 86_400_000

/** G1: what push, drain and upkeep cost when the store remembers much. */
export const growth: Subject = (lab) => {
  const large = lab.full ? 5_000_000 : 100_000
  const name = (count: number) => (count === SMALL ? 'small' : 'postern')
  const compare = (measure: (postern: Postern, agent: string) => Promise<number>): Contestant[] =>
    [SMALL, large].map((count) => ({ name: name(count), enter: () => enter(lab, count, measure) }))
  const rounds = lab.quick ? 8 : 15
  const at = `at ${large.toExponential()} messages`
  return [
    {
      title: `push ${at}`,
      rounds,
      contestants: compare((postern, agent) =>
        timed(20, () => postern.inbox.push({ to: [agent], content: makeBody() })),
      ),
      goals: [{ id: 'G1', ours: 'postern', than: 'small', within: 1.3 }],
    },
    {
      title: `drain of ${DRAIN} ${at}`,
      rounds,
      contestants: compare(drainSome),
      goals: [{ id: 'G1', ours: 'postern', than: 'small', within: 1.6 }],
    },
    {
      title: `drain, nothing there, ${at}`,
      rounds,
      contestants: compare((postern, agent) => timed(200, () => postern.inbox.drain({ agent }))),
      goals: [{ id: 'G1', ours: 'postern', than: 'small', within: 1.5 }],
    },
    {
      title: `prune of ${PRUNED} ${at}`,
      rounds: lab.quick ? 4 : 8,
      contestants: [{ name: 'postern', enter: () => enterReaper(lab, large) }],
      goals: [{ id: 'G1', ours: 'postern', atMost: 5 }],
    },
  ]
}

async function drainSome({ inbox }: Postern, agent: string): Promise<number> {
  await inbox.pushMany({ messages: Array.from({ length: DRAIN }, () => ({ to: [agent], content: makeBody() })) })
  return timed(1, async () => {
    const { offer } = await inbox.drain({ agent })
    await inbox.confirm({ offerId: offer!.id, evidence: 'printed', printed: true })
  })
}

async function enter(lab: Lab, count: number, measure: (postern: Postern, agent: string) => Promise<number>) {
  const path = await storeWith(lab, count)
  const postern = await openLocal(path, { upkeep: false })
  let turn = 0
  return {
    async block() {
      const agent = `agent-${turn++ % AGENTS}`
      const ms = await measure(postern, agent)
      for (let offer = (await postern.inbox.drain({ agent, maxMessages: 1_000 })).offer; offer; offer = null) {
        await postern.inbox.confirm({ offerId: offer.id, evidence: 'printed', printed: true })
      }
      return ms
    },
    leave: () => postern.close(),
  }
}

async function enterReaper(lab: Lab, count: number) {
  const store = await openSqliteStore({ path: await storeWith(lab, count), now: Date.now, random: Math.random })
  const finishedBefore = Date.now() - DEFAULT_LIMITS.retentionMs
  const slice = { finishedBefore, idBefore: `msg_${ulidFloor(finishedBefore)}`, limit: PRUNED }
  return {
    block: () =>
      timed(1, async () => {
        const { removed } = await store.single((tx) => tx.upkeep.reap(slice))
        if (removed !== PRUNED) throw new Error(`pruned ${removed} of ${PRUNED}`)
      }),
    leave: () => store.close(),
  }
}

const stores = new Map<string, Promise<string>>()

/** The same store serves all contests of a run: they add little to what is there. */
function storeWith(lab: Lab, count: number): Promise<string> {
  const key = String(count)
  const known = stores.get(key) ?? load(join(lab.newFolder(), 'postern.db'), count)
  stores.set(key, known)
  return known
}

/** Messages of long ago, all seen: written by hand, because nobody wants to wait for five million pushes. */
async function load(path: string, count: number): Promise<string> {
  const postern = await openLocal(path, { upkeep: false })
  await Promise.all(Array.from({ length: AGENTS }, (_, i) => postern.agents.add({ id: `agent-${i}` })))
  await postern.close()
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false })
  db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -200000')
  const message =
    db.prepare(`INSERT INTO messages (seq, id, type, from_id, from_as, addressed, content, priority, hops, created_at)
    VALUES (?1, ?2, 'agent', 'local', 'local/unverified/sdk', ?3, ?4, 2, 0, ?5)`)
  const delivery =
    db.prepare(`INSERT INTO deliveries (agent_id, inbox_seq, message_seq, priority, state, attempt, offer_id)
    VALUES (?1, ?2, ?3, 2, 'offered', 1, ?4)`)
  const offer = db.prepare(`INSERT INTO offers (id, agent_id, via, offered_at, printed_at, closed_at, outcome, evidence,
    expires_at, size, members) VALUES (?1, ?2, 'cli', ?3, ?3, ?3, 'confirmed', 'printed', ?3, ?4, ?5)`)
  let at = Date.now() - 90 * DAY_MS
  const ulid = createUlid({ now: () => at, randomBytes })
  const body = makeBody()
  for (let seq = 1; seq <= count; ) {
    db.exec('BEGIN')
    for (const end = Math.min(count, seq + 49_999); seq <= end; ) {
      const turn = Math.floor((seq - 1) / DRAIN)
      const agent = `agent-${turn % AGENTS}`
      const first = Math.floor(turn / AGENTS) * DRAIN + 1
      const offerId = `off_${ulid()}`
      at += 5
      offer.run(offerId, agent, at, DRAIN, JSON.stringify(Array.from({ length: DRAIN }, (_, i) => first + i)))
      for (let i = 0; i < DRAIN; i++, seq++) {
        message.run(seq, `msg_${ulid()}`, agent, body, at)
        delivery.run(agent, first + i, seq, offerId)
      }
    }
    db.exec('COMMIT')
  }
  db.exec(
    'UPDATE agents SET inbox_seq = (SELECT coalesce(max(d.inbox_seq), 0) FROM deliveries d WHERE d.agent_id = agents.id)',
  )
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return path
}
