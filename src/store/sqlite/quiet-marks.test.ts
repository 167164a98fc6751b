import { describe, expect, it } from 'vitest'
import { gate } from '../../../test/helpers/gate.ts'
import { looksQuiet, NEEDS_BOOT_ID, quietIn } from '../../../test/helpers/quiet.ts'
import {
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

const markQuiet = (tx: Shelves) => tx.agents.markQuiet({ agent: 'quinn', spools: [] })

describe('marking an agent quiet', NEEDS_BOOT_ID, () => {
  it('makes its quiet file before the commit where nothing waits for it', async () => {
    const { home, store } = await openHome()
    const atCommit = watchCommits(() => looksQuiet(home, 'quinn'))
    expect(await store.transact((tx) => tx.agents.markQuiet({ agent: 'quinn', spools: ['/none'] }))).toBe(true)
    expect(atCommit).toEqual([true])
    expect(quietIn(home)).toEqual(['quinn'])
  })

  it.each<[string, (tx: Shelves) => Promise<unknown>]>([
    ['a message is pending', (tx) => push(tx, ['quinn'])],
    ['a broadcast is not taken up', (tx) => tx.messages.broadcast({ message: messageTo(['all']) })],
    ['an offer is open', inTurn((tx) => push(tx, ['quinn']), offer)],
    ['a gate is open', (tx) => tx.gates.insert({ gate: gate('gate_1', 'quinn'), nextAt: null })],
    [
      'time will bring something, although its gate is closed',
      inTurn(
        (tx) => tx.gates.insert({ gate: gate('gate_1', 'quinn'), nextAt: null }),
        (tx) =>
          tx.gates.close({
            id: 'gate_1',
            from: ['open'],
            to: 'breached',
            at: NOW,
            by: 'x',
            reason: 'x',
            nextAt: NOW + 1,
          }),
      ),
    ],
    ['a plan waits for its time', (tx) => tx.plans.insert(plan('plan_1'))],
    [
      'a session of it has not gone on yet with what it inherits',
      inTurn(
        (tx) => tx.sessions.put(session('s')),
        (tx) => tx.inheritances.insert({ record: inheritance('inh_1') }),
      ),
    ],
    ['it is not there any more', (tx) => tx.agents.setRemoved({ id: 'quinn', removedAt: NOW })],
    [
      'a session of it has a gate on tools',
      inTurn(
        (tx) => tx.sessions.put(session('s')),
        (tx) => tx.gates.register(sessionGate('tool')),
      ),
    ],
    [
      'the end of a turn was put off: only a prompt or the next end of one begins to count anew',
      inTurn(
        (tx) => tx.sessions.put(session('s')),
        (tx) => tx.sessions.setTurn({ id: 's', continued: { at: NOW, begunAt: NOW } }),
      ),
    ],
  ])('makes none where %s', async (_, act) => {
    const { home, store } = await openHome()
    await store.transact(act)
    expect(await store.transact((tx) => markQuiet(tx))).toBe(false)
    expect(quietIn(home)).toEqual([])
    // Neither in the transaction that does it.
    const other = await openHome()
    const result = await other.store.transact(inTurn(act, markQuiet))
    expect([result, quietIn(other.home)]).toEqual([false, []])
  })

  it('makes it once what was inherited is confirmed or given back, or the session has ended', async () => {
    const { store } = await openHome()
    const begin = async (id: string, inherits: string) => {
      await store.transact(async (tx) => {
        await tx.sessions.put(session(id))
        await tx.inheritances.insert({ record: { ...inheritance(inherits), sessionId: id } })
      })
      expect(await store.transact((tx) => markQuiet(tx))).toBe(false)
    }
    await begin('s', 'inh_1')
    await store.transact((tx) => tx.inheritances.close({ id: 'inh_1', at: NOW, outcome: 'inherited' }))
    expect(await store.transact((tx) => markQuiet(tx))).toBe(true)
    await begin('other', 'inh_2')
    await store.transact((tx) => tx.sessions.end({ id: 'other', at: NOW }))
    expect(await store.transact((tx) => markQuiet(tx))).toBe(true)
  })

  it('makes none for somebody unknown, nor outside a transaction', async () => {
    const { home, store } = await openHome()
    expect(await store.transact((tx) => tx.agents.markQuiet({ agent: 'nobody', spools: [] }))).toBe(false)
    expect(await markQuiet(store.read)).toBe(false)
    expect(quietIn(home)).toEqual([])
  })

  it('makes it in a transaction that has noted a session', async () => {
    const { home, store } = await openHome()
    expect(await store.transact(inTurn((tx) => tx.sessions.put(session('s')), markQuiet))).toBe(true)
    expect(quietIn(home)).toEqual(['quinn'])
  })

  it('makes none where only this transaction ends what waits: it may yet come to nothing', async () => {
    const { home, store } = await openHome()
    const id = await store.transact((tx) => push(tx, ['quinn']))
    const attempt = store.transact(async (tx) => {
      await move(tx, id, 'pending', 'cancelled')
      return [await markQuiet(tx), quietIn(home)]
    })
    expect(await attempt).toEqual([false, []])
    expect(await store.transact((tx) => markQuiet(tx))).toBe(true)
  })

  it('removes it again where the same group then pushes', async () => {
    const { home, store } = await openHome()
    const atCommit = watchCommits(() => quietIn(home))
    const verbs = [store.transact((tx) => markQuiet(tx)), store.transact((tx) => push(tx, ['quinn']))]
    expect((await Promise.all(verbs))[0]).toBe(true)
    expect(atCommit).toEqual([[]])
  })

  it('sees what the same group has pushed before', async () => {
    const { home, store } = await openHome()
    const verbs = [store.transact((tx) => push(tx, ['quinn'])), store.transact((tx) => markQuiet(tx))]
    expect((await Promise.all(verbs))[1]).toBe(false)
    expect(quietIn(home)).toEqual([])
  })

  it('removes it again where the same group then broadcasts, and makes none after that', async () => {
    const { home, store } = await openHome()
    const broadcast = (tx: Shelves) => tx.messages.broadcast({ message: messageTo(['all']) })
    const verbs = [markQuiet, broadcast, (tx: Shelves) => tx.agents.markQuiet({ agent: 'robin', spools: [] })].map(
      (verb) => store.transact<unknown>((tx) => verb(tx)),
    )
    expect(await Promise.all(verbs)).toMatchObject([true, {}, false])
    expect(quietIn(home)).toEqual([])
  })

  it('removes it again where the verb that ended what waited is taken back', async () => {
    const { home, store } = await openHome()
    let id = ''
    const pushed = store.transact(async (tx) => (id = await push(tx, ['quinn'])))
    const failed = store.transact(async (tx) => {
      await move(tx, id, 'pending', 'cancelled')
      throw new Error(`marked: ${await markQuiet(tx)}`)
    })
    const [first, second] = await Promise.allSettled([pushed, failed])
    expect(first?.status).toBe('fulfilled')
    expect(second).toMatchObject({ reason: { message: 'marked: true' } })
    expect(quietIn(home)).toEqual([])
  })

  it('is not for a store that may have another beside it', async () => {
    const { home, store } = await openHome('a.db')
    expect(await store.transact((tx) => markQuiet(tx))).toBe(false)
    expect(quietIn(home)).toEqual([])
  })
})
