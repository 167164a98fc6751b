import { existsSync, readdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { configWith } from '../../test/helpers/config-with.ts'
import { openLocal } from '../../test/helpers/open-local.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { readConfig } from '../host/config/config.ts'
import { HANDOFF } from '../host/config/handoff.ts'
import { open } from '../host/open/open.ts'
import { NO_SHADOW, openShadow, withPasses } from '../host/shadow.ts'
import type { LocalPostern } from '../model/postern.ts'
import { reportBypasses } from './bypasses.ts'
import { createCall, type SoundEvent } from './call.ts'
import { generic } from './hosts/generic.ts'
import { listShadows } from './shadows.ts'
import { HOOK_TIMEOUTS } from './timeouts.ts'

const GATE = { name: 'tidy', hook: 'stop', tool: null, mode: 'strict', reason: 'x', until: null } as const
const SHADOW = { ...NO_SHADOW, gates: [{ ...GATE, onUnavailable: 'block' } as const] }

it('forgets only the passes that it has told, whatever other hooks write down meanwhile', async () => {
  const home = temporaryFolder()
  const postern = await openStore(home)
  const file = openShadow(home, { agent: 'quinn', sessionId: 'ses-1' })
  file.write({ ...SHADOW, bypassed: ['first'] })
  // While the store is told, another hook of that session passes a second gate.
  const passed: LocalPostern['hooks']['passed'] = async (input) => {
    await postern.hooks.passed(input)
    file.write({ ...SHADOW, blocks: 2, bypassed: ['first', 'second'] })
  }
  const call = callOf({ ...postern, hooks: { ...postern.hooks, passed } }, home)
  await reportBypasses(call, known(home))
  expect(file.read()).toMatchObject({ gates: SHADOW.gates, blocks: 2, bypassed: ['second'] })
})

it('tells the people of the store that knows the gate, and not those of another store in the same home', async () => {
  const home = temporaryFolder()
  const [theirs, ours] = [await openStore(home, 'theirs'), await openStore(home, 'ours')]
  const gate = await theirs.gates.create({ agent: 'quinn', kind: 'human', reason: 'x' })
  const { store } = await theirs.hooks.standing({ agent: 'quinn', sessionId: 'ses-1' })
  // The gate of the configuration, one that is over, and passes of a session that has ended: nothing holds any more.
  openShadow(home, { agent: 'quinn', sessionId: 'ses-1' }).write(
    withPasses({ ...NO_SHADOW, store, place: 'theirs' }, ['tests', gate.id]),
  )
  await reportBypasses(callOf(ours, home), known(home, 'ours'))
  expect(await toldIn(ours)).toEqual([])
  await reportBypasses(callOf(theirs, home), known(home, 'theirs'))
  expect(await toldIn(theirs)).toEqual([expect.stringContaining('tests'), expect.stringContaining(gate.id)])
  expect(listShadows(home)).toEqual([])
})

it('tells the people of a store that has taken the place of the one that knew the gate', async () => {
  const home = temporaryFolder()
  const postern = await openStore(home)
  const file = openShadow(home, { agent: 'quinn', sessionId: 'ses-1' })
  file.write(withPasses({ ...NO_SHADOW, store: 'gone', place: 'here' }, ['tests']))
  await reportBypasses(callOf(postern, home), known(home, 'here'))
  expect(await toldIn(postern)).toEqual([expect.stringContaining('tests')])
})

it('tells the people who are there of passes that the other store has not come back for', async () => {
  const home = temporaryFolder()
  const postern = await openStore(home)
  openShadow(home, { agent: 'quinn', sessionId: 'ses-1' }).write(
    withPasses({ ...NO_SHADOW, store: 'gone', place: 'elsewhere' }, ['tests']),
  )
  const [name = ''] = readdirSync(join(home, 'shadow'))
  const path = join(home, 'shadow', name)
  await reportBypasses(callOf(postern, home), known(home, 'here'))
  expect(await toldIn(postern)).toEqual([])
  const longAgo = Date.now() / 1_000 - 31 * 24 * 60 * 60
  utimesSync(path, longAgo, longAgo)
  await reportBypasses(callOf(postern, home), known(home, 'here'))
  expect(await toldIn(postern)).toEqual([expect.stringContaining('tests')])
  expect(existsSync(path)).toBe(false)
})

it('tells of a pass that the store refuses to record for its session, and never keeps it', async () => {
  const home = temporaryFolder()
  const postern = await openStore(home)
  await postern.agents.add({ id: 'robin' })
  await postern.sessions.begin({ id: 'of-robin', agent: 'robin' })
  const owners = ['of-robin', 'a session\nthat cannot be'].map((sessionId) => ({ agent: 'quinn', sessionId }))
  for (const owner of owners)
    openShadow(home, owner).write(withPasses(NO_SHADOW, [`of ${owner.sessionId.length}`, 'x'.repeat(300)]))
  const noted: unknown[] = []
  await reportBypasses({ ...callOf(postern, home), note: noted.push.bind(noted) }, known(home))
  const told = await toldIn(postern)
  for (const { sessionId } of owners)
    expect(told).toEqual(expect.arrayContaining([expect.stringContaining(`of ${sessionId.length}`)]))
  expect(noted).toHaveLength(2)
  expect(listShadows(home)).toEqual([])
})

it('removes what killed sessions have left if an agent has more shadows than it may have sessions', async () => {
  const home = temporaryFolder()
  const postern = await openStore(home)
  const shadowOf = (sessionId: string, agent = 'quinn') => openShadow(home, { agent, sessionId })
  for (let at = 0; at < 100; at++) shadowOf(`killed-${at}`).write(SHADOW)
  await reportBypasses(callOf(postern, home), known(home))
  for (const id of ['killed-0', 'killed-99']) expect(shadowOf(id).read().gates).toHaveLength(1)
  await postern.sessions.begin({ id: 'open', agent: 'quinn' })
  for (const id of ['open', 'killed-100']) shadowOf(id).write(SHADOW)
  shadowOf('elsewhere').write({
    ...SHADOW,
    store: 'another store',
    gates: [{ ...GATE, onUnavailable: 'block', name: 'gate_1' }],
  })
  shadowOf('killed-0', 'robin').write(SHADOW)
  await reportBypasses(callOf(postern, home), known(home))
  const left = listShadows(home).map(({ agent, sessionId }) => `${agent} ${sessionId}`)
  expect(left.toSorted()).toEqual(['quinn elsewhere', 'quinn open', 'robin killed-0'])
})

async function openStore(home: string, name = 'postern'): Promise<LocalPostern> {
  const store = join(home, `${name}.db`)
  const whole = await openLocal(store, { upkeep: false })
  await whole.agents.add({ id: 'quinn' })
  await whole.agents.add({ id: 'justin', kind: 'human' })
  await whole.close()
  const postern = await open(readConfig({ flags: { home, store }, env: {}, cwd: home }), {
    upkeep: false,
    mustExist: true,
  })
  onTestFinished(() => postern.close())
  return postern
}

/** A session without passes of its own. */
function known(home: string, place = 'here') {
  return { home, shadow: openShadow(home, { agent: 'quinn', sessionId: 'ses-2' }), own: NO_SHADOW, place: () => place }
}

async function toldIn({ inbox }: LocalPostern): Promise<string[]> {
  const { items } = await inbox.list({ agent: 'justin', which: 'all' })
  return items.map(({ content }) => content).filter((content) => content.includes('was not met'))
}

function callOf(postern: LocalPostern, root: string) {
  const event = generic.parse({ event: 'session.start', session_id: 'ses-2' }) as SoundEvent
  const settings = {
    stopCap: null,
    ageMs: () => 0,
    timeouts: HOOK_TIMEOUTS,
    nonce: () => 'x',
    hostProcess: () => undefined,
    starter: () => undefined,
    markers: () => [],
  }
  const limits = { drainMessages: 20, drainCharacters: 8_000 }
  const handoff = () => configWith({}).get(HANDOFF)
  const rules = { limits, handoff, uncounted: 0, counted: 0, note: () => {} }
  return createCall({ event, host: generic, agent: 'quinn', postern, settings, root, home: root, ...rules })
}
