import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { SessionGateRule } from '../../../src/model/gate.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import {
  asQuinn,
  asRex,
  EVERYONE,
  expectTold,
  gateOf,
  gateSteps,
  judge,
  MINUTE_MS,
  namesIn,
  stateOfGate,
} from '../gates/people.ts'
import { conformance, refused } from '../suite.ts'
import { foreign, say, scribble, TASK_FILE } from './buses.ts'

const PLACE = 'conductor-loop/task-docs'
const LOOK_MS = 10_000

conformance('gates that wait for an entry on a bus', ({ rule, open }) => {
  const gateOn = (postern: Parameters<typeof gateOf>[0], awaits = PLACE, more = {}) =>
    gateOf(postern, { kind: 'bus', awaits, ...more })

  rule('open with what comes after they were set up, and say so', async () => {
    verifies('S002.gate')
    const { postern } = await open({ agents: EVERYONE })
    const before = await say(postern, 'old', { type: 'ANSWER' })
    const gate = await gateOn(postern, `${PLACE}?type=ANSWER`, { waiters: ['rex'] })
    expect(gate).toMatchObject({
      state: 'open',
      awaits: `${PLACE}?type=ANSWER&after=${before}`,
      machine: expect.any(String),
    })
    await say(postern, 'other', { type: 'FACT' })
    expect(await postern.gates.check({ id: gate.id })).toMatchObject({ state: 'open' })
    const after = await say(asRex(postern), 'new', { type: 'ANSWER' })
    expect(await postern.gates.check({ id: gate.id })).toMatchObject({
      state: 'resolved',
      closedBy: 'system',
      closedReason: `the entry ${after} meets it`,
    })
    expect(await gateSteps(postern, gate.id)).toEqual(['created', 'resolved'])
    await expectTold(postern, 'quinn', `gate:${gate.id}`, `the entry ${after} meets it`)
    await expectTold(postern, 'rex', `gate:${gate.id}`, `the entry ${after} meets it`)
  })

  rule('hold at the end of a turn until then, whoever writes it', async () => {
    verifies('S002.gate')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    const { id } = await gateOn(postern, `${PLACE}?parent=MSG-1&meta.status=done`)
    expect(namesIn(await judge(postern)).strict).toEqual([id])
    scribble(busRoot, TASK_FILE, foreign('MSG-2', 'x', { parents: '[MSG-1]', meta: '{ status: open }' }))
    expect(namesIn(await judge(postern)).strict).toEqual([id])
    scribble(busRoot, TASK_FILE, foreign('MSG-3', 'x', { parents: '[MSG-1]', meta: '{ status: done }' }))
    expect(namesIn(await judge(postern)).strict).toEqual([])
    expect(await postern.gates.show({ id })).toMatchObject({ gate: { closedReason: 'the entry MSG-3 meets it' } })
  })

  rule('are looked at in passing, for those who wait without asking', async () => {
    verifies('S002.gate')
    const { postern, advance, busRoot } = await open({ agents: EVERYONE })
    const { id } = await gateOn(postern, PLACE, { waiters: ['rex'] })
    scribble(busRoot, TASK_FILE, foreign('MSG-1', 'x'))
    await postern.upkeep.run()
    expect((await postern.inbox.list({ agent: 'rex' })).items).toEqual([])
    advance(LOOK_MS)
    await postern.upkeep.run()
    await expectTold(postern, 'rex', `gate:${id}`, 'the entry MSG-1 meets it')
  })

  rule('open at once where what they wait for came after the entry that they name', async () => {
    verifies('S002.gate')
    const { postern } = await open({ agents: EVERYONE })
    const question = await say(asQuinn(postern), 'Which?', { type: 'QUESTION' })
    await say(asRex(postern), 'This.', { type: 'ANSWER', parents: [question] })
    expect(await gateOn(postern, `${PLACE}?parent=${question}&after=${question}`)).toMatchObject({ state: 'resolved' })
    expect(await gateOn(postern, `${PLACE}?type=ANSWER&after=`)).toMatchObject({ state: 'resolved' })
    expect(await gateOn(postern, `${PLACE}?type=ANSWER`)).toMatchObject({ state: 'open' })
  })

  rule('are not opened by what is older, also where somebody has cleaned up the bus', async () => {
    verifies('S002.gate')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    const old = foreign('A-1', 'old', { type: 'ANSWER', ts: '2026-01-15T08:00:00Z' })
    scribble(busRoot, TASK_FILE, old + foreign('A-2', 'last', { ts: '2026-01-15T08:00:01Z' }))
    const { id } = await gateOn(postern, `${PLACE}?type=ANSWER`)
    writeFileSync(join(busRoot, TASK_FILE), old)
    expect(await postern.gates.check({ id })).toMatchObject({ state: 'open' })
    scribble(busRoot, TASK_FILE, foreign('A-3', 'new', { type: 'ANSWER', ts: '2026-01-15T09:00:01Z' }))
    expect(await postern.gates.check({ id })).toMatchObject({
      state: 'resolved',
      closedReason: 'the entry A-3 meets it',
    })
  })

  rule('can be set up after an entry whose id is no text', async () => {
    verifies('S002.gate')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    const before = { type: 'ANSWER', ts: '2026-01-15T08:00:00Z' }
    scribble(busRoot, TASK_FILE, foreign('A-1', 'old', before) + foreign('"\\ud800\\0"', 'odd', before))
    const { id, state } = await gateOn(postern, `${PLACE}?type=ANSWER`)
    expect(state).toBe('open')
    scribble(busRoot, TASK_FILE, foreign('A-2', 'new', { type: 'ANSWER', ts: '2026-01-15T09:00:01Z' }))
    expect(await postern.gates.check({ id })).toMatchObject({
      state: 'resolved',
      closedReason: 'the entry A-2 meets it',
    })
  })

  rule('are not opened by whom they hold, unless that is what they wait for', async () => {
    verifies('S002.gate')
    const { postern } = await open({ agents: EVERYONE })
    const [gate, own] = [await gateOn(postern), await gateOn(postern, `${PLACE}?from=quinn`)]
    await say(asQuinn(postern), 'done')
    expect(await postern.gates.check({ id: gate.id })).toMatchObject({ state: 'open' })
    expect(await postern.gates.check({ id: own.id })).toMatchObject({ state: 'resolved' })
  })

  rule('stay open, and expire, while the bus cannot be read', async () => {
    verifies('S002.gate')
    const { postern, busRoot, advance } = await open({ agents: EVERYONE })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    const { id } = await gateOn(postern, PLACE, { timeoutMs: MINUTE_MS })
    const path = join(busRoot, TASK_FILE)
    mkdirSync(path, { recursive: true })
    expect(await postern.gates.check({ id })).toMatchObject({ state: 'open' })
    expect(namesIn(await judge(postern)).strict).toEqual([id])
    await refused(gateOn(postern), 'BUS_UNUSABLE')
    advance(MINUTE_MS)
    expect(await stateOfGate(postern, id)).toBe('expired')
    rmSync(dirname(path), { recursive: true })
    expect(await gateOn(postern)).toMatchObject({ state: 'open' })
  })

  rule('are looked at only on the machine where the bus lies', async () => {
    verifies('S002.gate')
    const { postern, tamper, advance } = await open({ agents: EVERYONE })
    const { id } = await gateOn(postern)
    await tamper(`UPDATE gates SET machine = 'elsewhere'`)
    await say(postern, 'here')
    advance(LOOK_MS)
    await postern.upkeep.run()
    expect(await postern.gates.check({ id })).toMatchObject({ state: 'open' })
  })

  rule('are refused where they wait for nothing that could come', async () => {
    verifies('S002.gate')
    const { postern } = await open({ agents: EVERYONE })
    await refused(gateOn(postern, '../x'), 'BUS_ID_INVALID')
    await refused(gateOn(postern, `${PLACE}?type=no type`), 'BUS_TYPE_INVALID')
    await refused(gateOn(postern, `${PLACE}?colour=red`), 'VALUE_INVALID')
    await refused(gateOn(postern, `${PLACE}?after=MSG-none`), 'BUS_ENTRY_NOT_FOUND')
    await refused(gateOf(postern, { kind: 'bus' }), 'VALUE_INVALID')
  })
})

const TASK_UPDATE: SessionGateRule = { name: 'task-update', hook: 'stop', mode: 'soft', check: null, reason: 'Say it' }

conformance('the session gate task-update', ({ rule, open }) => {
  /** A session of quinn in a folder of the task, which lies wherever people work. */
  async function atWork() {
    const project = join(temporaryFolder(), 'conductor-loop', 'task-docs')
    mkdirSync(join(project, 'src'), { recursive: true })
    const world = await open({ agents: EVERYONE, sessionGates: [TASK_UPDATE] })
    await world.postern.sessions.begin({ id: 'ses-1', agent: 'quinn', project: join(project, 'src') })
    const file = join(project, 'TASK-MESSAGE-BUS.md')
    return { ...world, write: (text: string) => scribble(dirname(file), 'TASK-MESSAGE-BUS.md', text) }
  }

  const since = (second: number) => ({
    ts: new Date(Date.UTC(2026, 0, 15, 9, 0, second)).toISOString().replace('.000', ''),
  })

  rule('asks for nothing where there is no bus', async () => {
    verifies('S002.task-update')
    const { postern } = await atWork()
    expect(namesIn(await judge(postern)).soft).toEqual([])
  })

  rule('warns until the bus of the task has an entry since the session began', async () => {
    verifies('S002.task-update')
    const { postern, write } = await atWork()
    write(foreign('MSG-1', 'before', since(-1)))
    expect(await judge(postern)).toMatchObject({ strict: [], soft: [{ name: 'task-update', reason: 'Say it' }] })
    write(foreign('MSG-2', 'begun', { type: 'START', ...since(1) }))
    expect(namesIn(await judge(postern)).soft).toEqual(['task-update'])
    write(foreign('MSG-3', 'done', since(2)))
    expect(namesIn(await judge(postern)).soft).toEqual([])
  })

  rule('wants the word of the agent where writers say who they are', async () => {
    verifies('S002.task-update')
    const { postern, write } = await atWork()
    write(foreign('MSG-1', 'mine', { meta: '{ from: rex }', ...since(1) }))
    write(foreign('MSG-2', 'somebody', since(2)))
    expect(namesIn(await judge(postern)).soft).toEqual(['task-update'])
    write(foreign('MSG-3', 'mine', { meta: '{ from: quinn }', ...since(3) }))
    expect(namesIn(await judge(postern)).soft).toEqual([])
  })

  rule('finds that word among many, and behind large ones', async () => {
    verifies('S002.task-update')
    const many = await atWork()
    many.write(foreign('MSG-1', 'mine', { meta: '{ from: quinn }', ...since(1) }))
    const theirs = { meta: '{ from: rex }', ...since(2) }
    many.write(Array.from({ length: 1_500 }, (_, at) => foreign(`M-${at}`, 'theirs', theirs)).join(''))
    expect(namesIn(await judge(many.postern)).soft).toEqual([])
    const large = await atWork()
    large.write(Array.from({ length: 25 }, (_, at) => foreign(`M-${at}`, 'x'.repeat(200_000), since(-1))).join(''))
    large.write(foreign('MSG-1', 'mine', since(1)))
    expect(namesIn(await judge(large.postern)).soft).toEqual([])
  })

  rule('takes a mark as well, and asks nothing of a session on another machine', async () => {
    verifies('S002.task-update')
    const marked = await atWork()
    marked.write(foreign('MSG-1', 'before', since(-1)))
    await asQuinn(marked.postern).gates.mark({ sessionId: 'ses-1', name: 'task-update' })
    expect(namesIn(await judge(marked.postern)).soft).toEqual([])
    const { postern, tamper, write } = await atWork()
    write(foreign('MSG-1', 'before', since(-1)))
    await tamper(`UPDATE sessions SET machine = 'elsewhere'`)
    expect(namesIn(await judge(postern)).soft).toEqual([])
  })
})
