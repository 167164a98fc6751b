import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { openLocal } from '../../test/helpers/open-local.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import type { LocalPostern } from '../model/postern.ts'
import { SHADOW_FOLDER } from '../model/quiet.ts'
import { readConfig } from './config/config.ts'
import { open } from './open/open.ts'
import { openShadow, shadowName } from './shadow.ts'

const GATE = { agent: 'quinn', kind: 'human', reason: 'wait for justin' } as const

beforeEach(() => {
  vi.stubEnv('XDG_RUNTIME_DIR', temporaryFolder())
  return () => vi.unstubAllEnvs()
})

it('writes a new strict gate down for the open sessions of its agent on this machine', async () => {
  await withHome(async (postern, gatesOf) => {
    await postern.sessions.begin({ id: 'elsewhere', agent: 'quinn', pid: 7, pidStartedAt: 1, machine: 'other x y' })
    await postern.gates.create({ ...GATE, mode: 'soft' })
    expect(gatesOf('here')).toEqual([])
    const gate = await postern.gates.create(GATE)
    const tool = await postern.gates.create({ ...GATE, hook: 'tool', tool: 'Bash' })
    expect(gatesOf('here')).toEqual([gate.id, tool.id])
    for (const session of ['ended', 'elsewhere', 'of-rex']) expect(gatesOf(session)).toEqual([])
  })
})

it('writes nothing down for sessions that only a token has named', async () => {
  await withHome(async (postern, gatesOf, home) => {
    const quinn = postern.as({ id: 'quinn', kind: 'ai', verified: true, via: 'http' })
    for (const id of ['one', 'two']) await quinn.sessions.begin({ id, agent: 'quinn' })
    await quinn.gates.create({ ...GATE, agent: 'quinn' })
    await quinn.gates.register({ sessionId: 'one', name: 'tests' })
    await quinn.decisions.create({ agent: 'quinn', question: 'Shall I?', ask: ['justin'] })
    expect(gatesOf('here')).toHaveLength(2)
    expect([gatesOf('one'), gatesOf('two')]).toEqual([[], []])
    expect(readdirSync(join(home, SHADOW_FOLDER))).toEqual([shadowName({ agent: 'quinn', sessionId: 'here' })])
  })
})

it('writes down gates of questions, and of one session', async () => {
  await withHome(async (postern, gatesOf) => {
    const { gateId } = await postern.decisions.create({ agent: 'quinn', question: 'Shall I?' })
    await postern.gates.register({ sessionId: 'of-rex', name: 'tests', check: 'true' })
    await postern.gates.register({ sessionId: 'of-rex', name: 'tests', check: 'false' })
    expect([gatesOf('here'), gatesOf('of-rex', 'rex')]).toEqual([[gateId], ['tests']])
  })
})

it('leaves a session alone that is held by gates of another store', async () => {
  await withHome(async (postern, gatesOf, home) => {
    const gate = await postern.gates.create(GATE)
    const file = openShadow(home, { agent: 'quinn', sessionId: 'here' })
    file.write({ ...file.read(), store: 'another' })
    await postern.gates.create(GATE)
    expect(gatesOf('here')).toEqual([gate.id])
  })
})

type GatesOf = (sessionId: string, agent?: string) => readonly string[]

async function withHome(use: (postern: LocalPostern, gatesOf: GatesOf, home: string) => Promise<void>): Promise<void> {
  const home = temporaryFolder()
  const store = join(home, 'postern.db')
  await (await openLocal(store, { upkeep: false })).close()
  const postern = await open(readConfig({ flags: { home }, env: {}, cwd: home }), { upkeep: false })
  for (const id of ['quinn', 'rex']) await postern.agents.add({ id })
  await postern.agents.add({ id: 'justin', kind: 'human' })
  for (const id of ['here', 'ended']) await postern.sessions.begin({ id, agent: 'quinn' })
  await postern.sessions.begin({ id: 'of-rex', agent: 'rex' })
  await postern.sessions.end({ id: 'ended' })
  const gatesOf: GatesOf = (sessionId, agent = 'quinn') =>
    openShadow(home, { agent, sessionId })
      .read()
      .gates.map(({ name }) => name)
  await use(postern, gatesOf, home).finally(() => postern.close())
}
