import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { processStart } from '../../src/kit/node/processes.ts'
import type { Postern } from '../../src/model/postern.ts'
import { type CommandOptions, postern, posternJson } from '../helpers/command.ts'
import { startHostProcess } from '../helpers/hosts/host-process.ts'
import { openLocal } from '../helpers/open-local.ts'
import { fastFolder } from '../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../helpers/warm-command.ts'
import { verifies } from './verifies.ts'

interface GateJson {
  readonly id: string
  readonly state: string
  readonly agent: string
  readonly createdBy: string
}

async function prepare(): Promise<CommandOptions> {
  const options = { home: fastFolder() }
  await warmPostern(options, 'agent', 'add', 'quinn')
  await warmPostern(options, 'agent', 'add', 'rex')
  await warmPostern(options, 'agent', 'add', 'justin', '--kind', 'human')
  return options
}

async function withStore(home: string, work: (store: Postern) => Promise<unknown>): Promise<void> {
  const store = await openLocal(join(home, 'postern.db'), { upkeep: false })
  try {
    await work(store)
  } finally {
    await store.close()
  }
}

const HUMAN = ['gate', 'create', '--agent', 'quinn', '--kind', 'human', '--mode', 'strict', '--reason', 'Look first']

describe('a gate on the command line', () => {
  it('is created, resolved by a person, and the agent has it in its inbox, once', async () => {
    verifies('S000.gate.forms')
    const options = await prepare()
    const gate = await posternJson<GateJson>(options, ...HUMAN)
    expect(gate).toMatchObject({
      id: expect.stringMatching(/^gate_/),
      state: 'open',
      agent: 'quinn',
      kind: 'human',
      mode: 'strict',
      hook: 'stop',
      reason: 'Look first',
      createdBy: 'local',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    })
    expect(await posternJson(options, 'gate', 'list')).toEqual({ items: [gate], next: null })
    const resolved = await posternJson(options, 'gate', 'resolve', gate.id, '--as', 'justin', '--reason', 'Looks good')
    expect(resolved).toMatchObject({ id: gate.id, state: 'resolved', closedBy: 'justin', closedReason: 'Looks good' })
    const { stdout } = await postern(options, 'inbox', 'drain', '--agent', 'quinn')
    expect(stdout).toContain(`Gate ${gate.id} resolved: Looks good`)
    expect(await postern(options, 'inbox', 'drain', '--agent', 'quinn')).toMatchObject({ stdout: 'No messages.\n' })
    const shown = await posternJson(options, 'gate', 'show', gate.id)
    expect(shown).toMatchObject({ state: 'resolved', steps: [{ step: 'created' }, { step: 'resolved', by: 'justin' }] })
    expect(await posternJson(options, 'gate', 'list', '--all', '--agent', 'quinn')).toMatchObject({
      items: [{ id: gate.id }],
    })
  })

  it('speaks plainly to a person', async () => {
    const options = await prepare()
    const created = await warmPostern(options, ...HUMAN)
    expect(created.stdout).toMatch(/^Open: gate_\S+ holds quinn\.\n$/)
    const id = /gate_\w+/.exec(created.stdout)?.[0] ?? ''
    const list = await warmPostern(options, 'gate', 'list')
    expect(list.stdout).toMatch(
      new RegExp(`${id} +quinn +open +strict human +stop +local \\(local, unverified\\) +Look first`),
    )
    expect((await warmPostern(options, 'gate', 'show', id)).stdout).toContain('strict human gate of quinn')
    expect((await warmPostern(options, 'gate', 'waive', id, '--as', 'justin')).stdout).toBe(
      `Waived: ${id}. quinn is told.\n`,
    )
    expect((await warmPostern(options, 'gate', 'list')).stdout).toBe('No gate is open.\n')
  })

  it('checks with exit code 7 while it is open, and runs its command where it was set', async () => {
    verifies('S000.gate.forms')
    const options = await prepare()
    const folder = join(options.home, 'project')
    mkdirSync(folder)
    const gate = await posternJson<GateJson>(
      { ...options, cwd: folder },
      ...['gate', 'create', '--agent', 'quinn', '--command', 'test -e done', 'The file must be there'],
    )
    expect(gate).toMatchObject({ kind: 'command', folder, awaits: 'test -e done' })
    const open = await postern(options, 'gate', 'check', gate.id, '--json')
    expect(open.exit).toBe(7)
    expect(JSON.parse(open.stdout)).toMatchObject({ id: gate.id, state: 'open' })
    writeFileSync(join(folder, 'done'), '')
    expect(await postern(options, 'gate', 'check', gate.id)).toMatchObject({
      exit: 0,
      stdout: `${gate.id} is resolved.\n`,
    })
  })

  it('takes every kind, and everything that can be said of one', async () => {
    const options = await prepare()
    const create = (...args: string[]) =>
      warmPosternJson<GateJson>(options, 'gate', 'create', '--agent', 'quinn', ...args)
    const { id: message } = await warmPosternJson<{ id: string }>(options, 'inbox', 'push', '--to', 'justin', 'May I?')
    const first = await create('Wait', '--timeout', '1h', '--remind', '10m', '--waiter', 'rex,justin')
    expect(first).toMatchObject({ kind: 'human', remindEveryMs: 600_000, waiters: ['justin', 'rex'] })
    expect(await create('x', '--after', '10m')).toMatchObject({ kind: 'timer', untilAt: expect.stringMatching(/Z$/) })
    expect(await create('x', '--message', message)).toMatchObject({ kind: 'message', awaits: message })
    expect(await create('x', '--gate', first.id)).toMatchObject({ kind: 'gate', awaits: first.id })
    expect(await create('x', '--tool', 'Bash')).toMatchObject({ hook: 'tool', tool: 'Bash' })
    const escalated = await create('x', '--escalate-to', 'justin', '--escalate-after', '1h')
    expect(escalated).toMatchObject({ escalateTo: 'justin' })
    expect(await create('x', '--mode', 'soft', '--on-unavailable', 'block')).toMatchObject({
      mode: 'soft',
      onUnavailable: 'block',
    })
  })

  it.each<[rule: string, args: readonly string[], exit: number, code: string]>([
    ['an unknown gate to resolve', ['gate', 'resolve', 'gate_none', '--as', 'justin'], 5, 'GATE_NOT_FOUND'],
    ['an unknown gate to show', ['gate', 'show', 'gate_none'], 5, 'GATE_NOT_FOUND'],
    ['an unknown gate to check', ['gate', 'check', 'gate_none'], 5, 'GATE_NOT_FOUND'],
    ['an unknown agent', ['gate', 'create', '--agent', 'nobody', 'x'], 5, 'AGENT_NOT_FOUND'],
    ['a bus that can be none', ['gate', 'create', '--agent', 'quinn', '--bus', '../x', 'x'], 64, 'BUS_ID_INVALID'],
    ['a bus that is not named', ['gate', 'create', '--agent', 'quinn', '--kind', 'bus', 'x'], 64, 'VALUE_INVALID'],
    ['a kind that is none', ['gate', 'create', '--agent', 'quinn', '--kind', 'moon', 'x'], 64, 'VALUE_INVALID'],
    ['no reason', ['gate', 'create', '--agent', 'quinn'], 64, 'USAGE'],
    ['no agent', ['gate', 'create', 'x'], 64, 'USAGE'],
    ['two conditions', ['gate', 'create', '--agent', 'quinn', '--gate', 'a', '--command', 'b', 'x'], 64, 'USAGE'],
    [
      'another kind’s condition',
      ['gate', 'create', '--agent', 'quinn', '--kind', 'human', '--command', 'b', 'x'],
      64,
      'USAGE',
    ],
    ['no condition', ['gate', 'create', '--agent', 'quinn', '--kind', 'command', 'x'], 64, 'VALUE_INVALID'],
    ['no session to mark', ['gate', 'mark', 'tests', '--agent', 'quinn'], 64, 'USAGE'],
    ['an unknown session', ['gate', 'mark', 'tests', '--session', 'nothing'], 5, 'SESSION_NOT_FOUND'],
  ])('refuses %s with its code and exit code', async (_, args, exit, code) => {
    verifies('S000.gate.forms')
    const options = await prepare()
    const outcome = await warmPostern(options, ...args)
    expect(outcome).toMatchObject({ exit, stdout: '' })
    expect(outcome.stderr).toMatch(new RegExp(`^postern: .+ \\[${code}\\]\\n$`))
  })

  it('says who was first to whoever comes second', async () => {
    verifies('S000.gate.forms')
    const options = await prepare()
    const { id } = await warmPosternJson<GateJson>(options, ...HUMAN)
    await warmPostern(options, 'gate', 'resolve', id, '--as', 'justin', '--reason', 'Looks good')
    const second = await warmPostern(options, 'gate', 'resolve', id, '--as', 'justin', '--json')
    expect(second.exit).toBe(6)
    expect(JSON.parse(second.stdout)).toMatchObject({ error: { code: 'GATE_CLOSED', details: { by: 'justin' } } })
    expect(second.stderr).toContain('was resolved by justin.')
  })
})

describe('whose word counts at a gate', () => {
  it('is a person’s where one is meant: not the agent’s, by whatever way it names itself, and nobody’s', async () => {
    verifies('S000.gate.forms')
    const options = await prepare()
    const { id } = await warmPosternJson<GateJson>(options, ...HUMAN)
    const inEnvironment = { ...options, env: { POSTERN_AGENT: 'quinn' } }
    for (const [where, ...args] of [
      [options, '--agent', 'quinn'],
      [options, '--as', 'quinn'],
      [options, '--as', 'rex'],
      [inEnvironment],
      [options],
    ] as [CommandOptions, ...string[]][]) {
      const outcome = await warmPostern(where, 'gate', 'resolve', id, '--reason', 'I may', ...args)
      expect(outcome).toMatchObject({ exit: 4, stderr: expect.stringContaining('[NOT_ALLOWED]') })
    }
    expect(await warmPosternJson(options, 'gate', 'show', id)).toMatchObject({ state: 'open' })
  })

  it('is not the agent’s at a gate that holds it, nor an unnamed caller’s', async () => {
    const options = await prepare()
    const inEnvironment = { ...options, env: { POSTERN_AGENT: 'quinn' } }
    const timer = ['gate', 'create', '--agent', 'quinn', '--after', '1h', 'Wait']
    const set = await warmPosternJson<GateJson>(options, ...timer)
    expect(set.createdBy).toBe('local')
    expect(await warmPostern(options, 'gate', 'waive', set.id, '--as', 'quinn')).toMatchObject({ exit: 4 })
    const own = await warmPosternJson<GateJson>(inEnvironment, ...timer)
    expect(own.createdBy).toBe('quinn')
    for (const named of [['--as', 'quinn'], []])
      expect(await warmPostern(options, 'gate', 'waive', own.id, ...named)).toMatchObject({ exit: 4 })
    expect(await warmPostern(options, 'gate', 'waive', own.id, '--as', 'justin')).toMatchObject({ exit: 0 })
    expect(await warmPosternJson(inEnvironment, 'gate', 'create', '--after', '1h', 'Wait')).toMatchObject({
      agent: 'quinn',
    })
  })

  it('is the session’s own agent within its session', async () => {
    const options = await prepare()
    const host = startHostProcess(options)
    onTestFinished(() => host.stop())
    const pidStartedAt = processStart(host.pid)
    if (pidStartedAt === undefined) throw new Error('it is not known when the host process started')
    await withStore(options.home, ({ sessions }) =>
      sessions.begin({ id: 'ses-1', agent: 'quinn', pid: host.pid, pidStartedAt }),
    )
    const created = await host.postern('gate', 'create', '--after', '1h', 'Wait', '--json')
    const gate = JSON.parse(created.stdout) as GateJson
    expect(gate).toMatchObject({ agent: 'quinn', createdBy: 'quinn' })
    const human = await warmPosternJson<GateJson>(options, ...HUMAN)
    expect(await host.postern('gate', 'resolve', human.id)).toMatchObject({ exit: 4 })
    expect(await host.postern('gate', 'resolve', human.id, '--as', 'justin')).toMatchObject({ exit: 4 })
    expect(await host.postern('gate', 'resolve', gate.id)).toMatchObject({ exit: 4 })
  })
})

describe('a gate of one session', () => {
  it('is registered and marked for the latest session of an agent, or for the one that is named', async () => {
    const options = await prepare()
    await withStore(options.home, async ({ sessions }) => {
      await sessions.begin({ id: 'ses-1', agent: 'quinn' })
      await sessions.begin({ id: 'ses-2', agent: 'rex' })
    })
    const register = ['gate', 'register', 'notes', '--agent', 'quinn', '--reason', 'Write notes']
    expect(await warmPosternJson(options, ...register)).toMatchObject({
      sessionId: 'ses-1',
      name: 'notes',
      mode: 'strict',
      hook: 'stop',
      check: null,
      registeredBy: 'local',
    })
    expect(await warmPosternJson(options, 'gate', 'mark', 'notes', '--agent', 'quinn')).toMatchObject({
      markedBy: 'quinn',
    })
    const named = ['gate', 'register', 'tests', '--session', 'ses-2', '--check', 'npm test', '--mode', 'soft']
    expect(await warmPosternJson(options, ...named)).toMatchObject({ sessionId: 'ses-2', check: 'npm test' })
    expect(await warmPostern(options, 'gate', 'mark', 'tests', '--session', 'ses-2')).toMatchObject({
      exit: 64,
      stderr: expect.stringContaining('Only its command opens it.'),
    })
  })

  it('comes from the configuration, which says what is wrong with it', async () => {
    const options = await prepare()
    const file = join(options.home, 'config.json')
    await withStore(options.home, ({ sessions }) => sessions.begin({ id: 'ses-1', agent: 'quinn' }))
    writeFileSync(file, JSON.stringify({ gates: { notes: { reason: 'Write notes' } } }))
    expect(await warmPosternJson(options, 'gate', 'mark', 'notes', '--agent', 'quinn')).toMatchObject({
      reason: 'Write notes',
      registeredBy: 'system',
    })
    for (const wrong of [{ gates: { notes: { chek: 'x' } } }, { hooks: [{ event: 'turn.stopp', command: 'true' }] }]) {
      writeFileSync(file, JSON.stringify(wrong))
      expect(await warmPostern(options, 'gate', 'list')).toMatchObject({
        exit: 64,
        stderr: expect.stringContaining('[CONFIG_INVALID]'),
      })
    }
  })
})
