import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { gate } from '../../../test/helpers/gate.ts'
import { BOOT_ID, NEEDS_BOOT_ID, quietIn } from '../../../test/helpers/quiet.ts'
import {
  inheritance,
  inTurn,
  messageTo,
  NOW,
  offer,
  openHome,
  plan,
  push,
  session,
  sessionGate,
} from '../../../test/helpers/shelf-things.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { Session } from '../../model/session.ts'
import { mayHoldEntries } from '../../spool/may-hold.ts'
import { spoolPath } from '../../spool/path.ts'
import type { Shelves } from '../store.ts'
import { Connection } from './connection.ts'
import { isSurelyQuiet } from './peek.ts'
import { markQuietAtOnce } from './quiet-peek.ts'

const markQuiet = (path: string, agent = 'quinn') =>
  markQuietAtOnce(path, { agent, sessionId: 's', mayHoldEntries, spoolOf: spoolPath })

/** A home whose agent quinn has a session at work and nothing that waits. */
async function openAtWork(more: Partial<Session> = {}) {
  const { home, store } = await openHome()
  const project = temporaryFolder()
  const known = { ...session('s'), project, ...more }
  await store.transact((tx) => tx.sessions.put(known))
  return { home, store, project, known, path: join(home, 'postern.db') }
}

function write(spool: string): void {
  mkdirSync(dirname(spool), { recursive: true })
  writeFileSync(spool, '{"content":"x"}\n')
}

describe('marking an agent quiet at once', NEEDS_BOOT_ID, () => {
  it('makes its quiet file, which names the spools of all its open sessions, and writes nothing else', async () => {
    const { home, store, known, project, path } = await openAtWork()
    await store.transact(async (tx) => {
      await tx.sessions.put({ ...known, id: 'other' })
      await tx.sessions.put({ ...known, id: 'over' })
      await tx.sessions.end({ id: 'over', at: NOW })
      await tx.sessions.put({ ...known, id: 'foreign', agent: 'robin' })
    })
    const connection = new Connection(path, { busyMs: 0 })
    onTestFinished(() => connection.close())
    const before = connection.pragma('data_version')
    expect(markQuiet(path)).toBe(true)
    expect(connection.pragma('data_version')).toBe(before)
    const spools = ['other', 's'].map((id) => spoolPath(project, id))
    expect(readFileSync(join(home, 'quiet', 'quinn'), 'utf8')).toBe([BOOT_ID, ...spools, ''].join('\n'))
  })

  it.each<[string, (tx: Shelves) => Promise<unknown>]>([
    ['a message is pending', (tx) => push(tx, ['quinn'])],
    ['a broadcast is not taken up', (tx) => tx.messages.broadcast({ message: messageTo(['all']) })],
    ['an offer is to be confirmed', inTurn((tx) => push(tx, ['quinn']), offer)],
    ['a gate is open', (tx) => tx.gates.insert({ gate: gate('gate_1', 'quinn'), nextAt: null })],
    ['a gate waits for its time', (tx) => tx.gates.insert({ gate: gate('gate_1', 'quinn'), nextAt: NOW + 1 })],
    ['a plan waits for its time', (tx) => tx.plans.insert(plan('plan_1'))],
    ['what it inherits is to be confirmed', (tx) => tx.inheritances.insert({ record: inheritance('inh_1') })],
    ['the session has a gate on tools', (tx) => tx.gates.register(sessionGate('tool'))],
    ['the agent was removed', (tx) => tx.agents.setRemoved({ id: 'quinn', removedAt: NOW })],
    ['the session has ended, and this event shows that it goes on', (tx) => tx.sessions.end({ id: 's', at: NOW })],
    [
      'the end of a turn was put off, which this event may end',
      (tx) => tx.sessions.setTurn({ id: 's', continued: { at: NOW, begunAt: NOW } }),
    ],
  ])('does not where %s', async (_, act) => {
    const { home, store, path } = await openAtWork()
    await store.transact(act)
    expect([markQuiet(path), quietIn(home)]).toEqual([false, []])
  })

  it('does not for a session that it does not know, or as another’s, or without its project', async () => {
    const { home, path } = await openHome().then(({ home }) => ({ home, path: join(home, 'postern.db') }))
    expect([markQuiet(path), quietIn(home)]).toEqual([false, []])
    const known = await openAtWork()
    expect([markQuiet(known.path, 'robin'), quietIn(known.home)]).toEqual([false, []])
    const homeless = await openAtWork({ project: null })
    expect([markQuiet(homeless.path), quietIn(homeless.home)]).toEqual([false, []])
  })

  it('does not while the spool of any of its sessions may hold something', async () => {
    const { home, store, known, project, path } = await openAtWork()
    const elsewhere = temporaryFolder()
    await store.transact((tx) => tx.sessions.put({ ...known, id: 'other', project: elsewhere }))
    for (const spool of [spoolPath(project, 's'), spoolPath(elsewhere, 'other')]) {
      write(spool)
      expect([markQuiet(path), quietIn(home)]).toEqual([false, []])
      rmSync(spool)
    }
    expect(markQuiet(path)).toBe(true)
  })

  it('does not where somebody writes, and sees what he has written afterwards', async () => {
    const { home, path } = await openAtWork()
    const other = new Connection(path, { busyMs: 0 })
    onTestFinished(() => other.close())
    other.exec('BEGIN IMMEDIATE')
    expect(() => markQuiet(path)).toThrow()
    other.exec(`UPDATE sessions SET ended_at = 1 WHERE id = 's'`)
    other.exec('COMMIT')
    expect([markQuiet(path), quietIn(home)]).toEqual([false, []])
  })

  it.each([-1, 1])('does not in a store of another version: %j', async (difference) => {
    const { home, path } = await openAtWork()
    const other = new Connection(path, { busyMs: 0 })
    onTestFinished(() => other.close())
    other.exec(`PRAGMA user_version = ${Number(other.pragma('user_version')) + difference}`)
    expect([markQuiet(path), quietIn(home)]).toEqual([false, []])
  })

  it.each([
    ['changes that were acknowledged are missing', (end: string) => writeFileSync(end, '000000000000999\n')],
    ['nobody knows how many there should be', (end: string) => rmSync(end)],
  ])('does not where %s', async (_, change) => {
    const { home, path } = await openAtWork()
    change(`${path}-end`)
    expect([markQuiet(path), quietIn(home)]).toEqual([false, []])
    expect(isSurelyQuiet(path, 'quinn', NOW)).toBe(false)
  })

  it('makes it beside the store itself, by whatever name that is opened', async () => {
    const { home, path } = await openAtWork()
    const [linked, elsewhere] = [join(temporaryFolder(), 'home'), join(temporaryFolder(), 'postern.db')]
    symlinkSync(home, linked)
    symlinkSync(path, elsewhere)
    for (const name of [join(linked, 'postern.db'), elsewhere]) {
      expect([markQuiet(name), quietIn(home)]).toEqual([true, ['quinn']])
      rmSync(join(home, 'quiet'), { recursive: true })
    }
    expect(quietIn(dirname(elsewhere))).toEqual([])
  })

  it('does not where there is no store of ours, or one that may have another beside it', async () => {
    const { home, store, path } = await openAtWork()
    await store.close()
    const other = join(home, 'other.db')
    renameSync(path, other)
    expect(markQuiet(other)).toBe(false)
    expect(markQuiet(path)).toBe(false)
    writeFileSync(path, '')
    expect(markQuiet(path)).toBe(false)
    expect(quietIn(home)).toEqual([])
  })
})
