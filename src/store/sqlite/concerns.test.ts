import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gate } from '../../../test/helpers/gate.ts'
import { NEEDS_BOOT_ID, plantQuiet, quietIn } from '../../../test/helpers/quiet.ts'
import {
  AGENTS,
  addAgent,
  closeAs,
  decision,
  inheritance,
  inTurn,
  messageTo,
  move,
  NOW,
  offer,
  openHome,
  plan,
  push,
  session,
  sessionGate,
  watchCommits,
} from '../../../test/helpers/shelf-things.ts'
import type { Shelves } from '../store.ts'
import { CONCERNS, type Concerned, nobody, observeWrites } from './concerns.ts'
import { Connection } from './connection.ts'
import { quietFolderOf } from './quiet.ts'
import { QuietMarks } from './quiet-marks.ts'

interface Case {
  /** What was before; its result is handed on. */
  prepare?(tx: Shelves): Promise<string>
  act(tx: Shelves, prepared: string): Promise<unknown>
  /** Whose file stays. */
  readonly left: readonly string[]
}

const nothing = async () => ''
const onlyQuinn = ['olga', 'robin']

/** What writes of what somebody waits for, by the call that does. */
const CASES: Readonly<Record<string, Readonly<Record<string, Case>>>> = {
  'agents.insert': { 'a new agent': { act: (tx) => addAgent(tx, 'zoe'), left: AGENTS } },
  'agents.update': {
    'a new name': { act: (tx) => tx.agents.update({ id: 'quinn', displayName: 'Q', skeleton: 'q' }), left: onlyQuinn },
  },
  'agents.setOwner': { 'an owner': { act: (tx) => tx.agents.setOwner({ id: 'quinn' }), left: onlyQuinn } },
  'agents.setRemoved': {
    removal: { act: (tx) => tx.agents.setRemoved({ id: 'quinn', removedAt: NOW }), left: onlyQuinn },
    'coming back': {
      prepare: inTurn((tx) => tx.agents.setRemoved({ id: 'quinn', removedAt: NOW }), nothing),
      act: (tx) => tx.agents.setRemoved({ id: 'quinn', removedAt: null }),
      left: onlyQuinn,
    },
  },
  'sessions.put': { 'a session': { act: (tx) => tx.sessions.put(session('s')), left: onlyQuinn } },
  'sessions.end': {
    'the end of a session': {
      prepare: inTurn((tx) => tx.sessions.put(session('s')), nothing),
      act: (tx) => tx.sessions.end({ id: 's', at: NOW }),
      left: onlyQuinn,
    },
  },
  'sessions.setTurn': {
    'a turn that is put off': {
      prepare: inTurn((tx) => tx.sessions.put(session('s')), nothing),
      act: (tx) => tx.sessions.setTurn({ id: 's', continued: { at: NOW, begunAt: NOW } }),
      left: onlyQuinn,
    },
    'a turn that ends': {
      prepare: inTurn((tx) => tx.sessions.put(session('s')), nothing),
      act: (tx) => tx.sessions.setTurn({ id: 's', idleSince: NOW, continuations: 'none', stoppedAt: NOW }),
      left: AGENTS,
    },
  },
  'messages.push': {
    'a push': { act: (tx) => push(tx, ['quinn']), left: onlyQuinn },
    'a push to several': { act: (tx) => push(tx, ['quinn', 'robin']), left: ['olga'] },
    'many pushes': {
      act: (tx) => {
        const items = ['quinn', 'robin'].map((agent) => ({ message: messageTo([agent]), held: [] }))
        return tx.messages.push({ items, pendingLimit: 10 })
      },
      left: ['olga'],
    },
    'a repeated push with one more recipient': {
      prepare: (tx) => push(tx, ['robin'], { key: 'k' }),
      act: (tx) => push(tx, ['quinn', 'robin'], { key: 'k' }),
      left: ['olga'],
    },
    'a push that is held': { act: (tx) => push(tx, ['quinn'], { held: ['quinn'] }), left: onlyQuinn },
  },
  'messages.broadcast': {
    'a broadcast': { act: (tx) => tx.messages.broadcast({ message: messageTo(['all']) }), left: [] },
  },
  'deliveries.takeUpBroadcasts': {
    'taking up a broadcast': {
      prepare: async (tx) => (await tx.messages.broadcast({ message: messageTo(['all']) })).id,
      act: (tx) => tx.deliveries.takeUpBroadcasts({ agent: 'quinn', now: NOW }),
      left: onlyQuinn,
    },
  },
  'deliveries.move': {
    'taking it back': {
      prepare: (tx) => push(tx, ['quinn']),
      act: (tx, id) => move(tx, id, 'pending', 'cancelled'),
      left: onlyQuinn,
    },
    'releasing what was held': {
      prepare: (tx) => push(tx, ['quinn'], { held: ['quinn'] }),
      act: (tx, id) => move(tx, id, 'held', 'pending'),
      left: onlyQuinn,
    },
    'trying again what was dead': {
      prepare: async (tx) => {
        const id = await push(tx, ['quinn'])
        await closeAs(tx, await offer(tx), 'released', 1)
        return id
      },
      act: (tx, id) => move(tx, id, 'dead', 'pending'),
      left: onlyQuinn,
    },
    'dealing with it': {
      prepare: async (tx) => {
        const id = await push(tx, ['quinn'])
        await closeAs(tx, await offer(tx), 'confirmed')
        return id
      },
      act: (tx, id) => move(tx, id, 'seen', 'acted'),
      left: onlyQuinn,
    },
  },
  'deliveries.moveAll': {
    'taking everything back': {
      prepare: (tx) => push(tx, ['quinn']),
      act: (tx) =>
        tx.deliveries.moveAll({ agent: 'quinn', from: ['pending'], to: 'cancelled', at: NOW, by: 'x', reason: 'x' }),
      left: onlyQuinn,
    },
  },
  'deliveries.record': {
    'a line of history': {
      prepare: (tx) => push(tx, ['quinn']),
      act: (tx, id) => tx.deliveries.record({ id, agents: ['quinn'], step: 'x', at: NOW, by: 'x', evidence: 'x' }),
      left: onlyQuinn,
    },
  },
  'snoozes.snooze': {
    'putting it off': {
      prepare: (tx) => push(tx, ['quinn']),
      act: (tx, id) => snooze(tx, id),
      left: onlyQuinn,
    },
  },
  'snoozes.wake': {
    'taking it up again': {
      prepare: (tx) => pushSnoozed(tx),
      act: (tx, id) => tx.snoozes.wake({ id, agent: 'quinn', at: NOW, by: 'x', reason: 'x' }),
      left: onlyQuinn,
    },
  },
  'snoozes.due': {
    'the time until which it was put off': {
      prepare: (tx) => pushSnoozed(tx),
      act: (tx) => tx.snoozes.due({ now: NOW + 2, limit: 9 }),
      left: onlyQuinn,
    },
  },
  'deliveries.expire': {
    'the end of its time': {
      prepare: (tx) => push(tx, ['quinn']),
      act: (tx) => tx.deliveries.expire({ now: NOW + 2, limit: 9, agent: 'quinn' }),
      left: onlyQuinn,
    },
  },
  'offers.open': { 'an offer': { prepare: (tx) => push(tx, ['quinn']), act: (tx) => offer(tx), left: onlyQuinn } },
  'offers.setPrinted': {
    'printing an offer': {
      prepare: inTurn((tx) => push(tx, ['quinn']), offer),
      act: (tx, id) => tx.offers.setPrinted({ id, at: NOW, expiresAt: NOW + 1 }),
      left: onlyQuinn,
    },
  },
  'offers.close': Object.fromEntries(
    (['confirmed', 'released', 'lapsed'] as const).map((outcome): [string, Case] => [
      `an offer that is ${outcome}`,
      {
        prepare: inTurn((tx) => push(tx, ['quinn']), offer),
        act: (tx, id) => closeAs(tx, id, outcome),
        left: onlyQuinn,
      },
    ]),
  ),
  'gates.insert': {
    'a gate': { act: (tx) => tx.gates.insert({ gate: gate('gate_1', 'quinn'), nextAt: null }), left: onlyQuinn },
  },
  'gates.close': {
    'the end of a gate': {
      prepare: inTurn((tx) => tx.gates.insert({ gate: gate('gate_1', 'quinn'), nextAt: null }), nothing),
      act: (tx) => tx.gates.close({ id: 'gate_1', from: ['open'], to: 'resolved', at: NOW, by: 'x', reason: 'x' }),
      left: onlyQuinn,
    },
  },
  'gates.register': { 'a gate of a session': { act: (tx) => tx.gates.register(sessionGate('tool')), left: [] } },
  'plans.insert': { 'a plan': { act: (tx) => tx.plans.insert(plan('plan_1')), left: onlyQuinn } },
  'plans.update': {
    'a change of a plan': {
      prepare: inTurn((tx) => tx.plans.insert(plan('plan_1')), nothing),
      act: (tx) => tx.plans.update({ ...plan('plan_1'), nextRunAt: NOW + 2 }),
      left: onlyQuinn,
    },
  },
  'inheritances.insert': {
    'what a session is to be shown': {
      act: (tx) => tx.inheritances.insert({ record: inheritance('inh_1') }),
      left: onlyQuinn,
    },
    'what somebody without a name is to be shown': {
      act: (tx) => tx.inheritances.insert({ record: { ...inheritance('inh_1'), agent: null } }),
      left: AGENTS,
    },
  },
  'decisions.insert': { 'a decision': { act: (tx) => tx.decisions.insert(decision('dec_1')), left: onlyQuinn } },
}

describe('a transaction that concerns an agent', NEEDS_BOOT_ID, () => {
  const cases = Object.values(CASES).flatMap((group) => Object.entries(group))

  it.each(cases)('has removed its quiet file when it is committed: %s', async (_, { prepare, act, left }) => {
    const { home, store } = await openHome()
    const prepared = prepare ? await store.transact(prepare) : ''
    plantQuiet(home, AGENTS)
    const atCommit = watchCommits(() => quietIn(home))
    await store.transact((tx) => act(tx, prepared))
    expect(atCommit).toEqual([[...left]])
    expect(quietIn(home)).toEqual([...left])
  })

  it('is known for every call that concerns anybody', () => {
    const named = Object.entries(CONCERNS).flatMap(([shelf, calls]) =>
      Object.entries(calls).flatMap(([call, concern]) => ((concern as unknown) === nobody ? [] : [`${shelf}.${call}`])),
    )
    expect(named.toSorted()).toEqual(Object.keys(CASES).toSorted())
  })

  it('leaves all quiet files where it has changed nothing', async () => {
    const { home, store } = await openHome()
    await store.transact((tx) => push(tx, ['quinn'], { key: 'k' }))
    plantQuiet(home, AGENTS)
    await store.transact((tx) => push(tx, ['quinn'], { key: 'k' }))
    await store.transact((tx) => tx.agents.get('quinn'))
    await store.transact((tx) => tx.sessions.end({ id: 'none', at: NOW }))
    expect(quietIn(home)).toEqual(AGENTS)
  })

  it('leaves all quiet files where it has changed nothing that anybody waits for', async () => {
    const { home, store } = await openHome()
    plantQuiet(home, AGENTS)
    await store.transact((tx) => tx.upkeep.claim({ job: 'x', now: NOW, intervalMs: 1 }))
    await store.transact((tx) => tx.budgets.take({ from: 'a', to: 'b', now: NOW, burst: 1, perMinute: 1 }))
    expect(quietIn(home)).toEqual(AGENTS)
  })

  it('leaves all quiet files where it came to nothing', async () => {
    const { home, store } = await openHome()
    plantQuiet(home, AGENTS)
    const failing = store.transact(async (tx) => {
      await push(tx, ['quinn'])
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect(quietIn(home)).toEqual(AGENTS)
  })

  it('removes the files of all verbs that share its commit', async () => {
    const { home, store } = await openHome()
    plantQuiet(home, AGENTS)
    const atCommit = watchCommits(() => quietIn(home))
    await Promise.all(['quinn', 'robin'].map((agent) => store.transact((tx) => push(tx, [agent]))))
    expect(atCommit).toEqual([['olga']])
  })
})

function snooze(tx: Shelves, id: string): Promise<boolean> {
  return tx.snoozes.snooze({ id, agent: 'quinn', untilAt: NOW + 1, at: NOW, by: 'x', reason: 'x' })
}

async function pushSnoozed(tx: Shelves): Promise<string> {
  const id = await push(tx, ['quinn'])
  await snooze(tx, id)
  return id
}

describe('a call that nobody has thought of', () => {
  const shelves = { later: { write: async () => 'done', fail: async () => Promise.reject(new Error('no')) } }

  it('concerns everybody, whether it works or not', async () => {
    const noted: Concerned[] = []
    const { later } = observeWrites(shelves as unknown as Shelves, (concerned) =>
      noted.push(concerned()),
    ) as unknown as typeof shelves
    expect(await later.write()).toBe('done')
    await expect(later.fail()).rejects.toThrow('no')
    expect(noted).toEqual([undefined, undefined])
  })

  it('removes all quiet files where anything changes', async () => {
    const { home, store } = await openHome()
    const quiet = quietFolderOf(join(home, 'postern.db'))
    const connection = new Connection(join(home, 'postern.db'), { busyMs: 0 })
    onTestFinished(() => connection.close())
    plantQuiet(home, AGENTS)
    const marks = new QuietMarks(() => connection)
    marks.use(quiet)
    const write = (text: string) => {
      connection.run('BEGIN IMMEDIATE')
      marks.begin(connection)
      connection.run(text)
      marks.beforeCommit()
      connection.run('COMMIT')
    }
    write('UPDATE agents SET inbox_seq = 1 WHERE FALSE')
    expect(quietIn(home)).toEqual(AGENTS)
    write(`UPDATE agents SET inbox_seq = 1 WHERE id = 'quinn'`)
    expect(quietIn(home)).toEqual([])
    expect(await store.read.agents.get('quinn')).toBeDefined()
  })
})
