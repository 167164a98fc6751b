import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  asJustin,
  createGate,
  deliveryOf,
  type Fired,
  type Firing,
  fire,
  HOST_TIMEOUT_MS,
  idsIn,
  makePlace,
  type Place,
  passesTold,
  push,
  stateOfGate,
  toldTo,
} from '../faults/harness/hook.ts'
import { DEAD_MACHINE_MS } from '../helpers/patience.ts'
import { FULL } from '../helpers/tier.ts'
import { verifies } from './verifies.ts'

const CAP = 'CLAUDE_CODE_STOP_HOOK_BLOCK_CAP'
/** A user command that may take as long as the hook. */
const hook = (command: string, more = {}) => ({ event: 'turn.stop', command, timeoutMs: DEAD_MACHINE_MS, ...more })
const isContinued = ({ block, context }: Fired) => block !== '' || context !== ''

describe('the end of a turn', () => {
  it('is put off five times in a row at most; then the gate is breached and a person told', async () => {
    verifies('G8.loop')
    const place = await makePlace()
    const gate = await createGate(place)
    expect((await stops(place, 6)).map(isContinued)).toEqual([true, true, true, true, true, false])
    expect(await stateOfGate(place, gate)).toBe('breached')
    expect(await passesTold(place)).toEqual([expect.stringMatching(/breached.*5 times in a row$/)])
    // It holds no more, and the next turn counts from the beginning.
    expect((await stops(place, 1)).map(isContinued)).toEqual([false])
  })

  for (const [cap, before] of [
    ['1', 0],
    ['2', 1],
    ['4', 3],
    ['0', 5],
    ['many', 5],
  ] as const) {
    it(`is put off ${before} times where the host is set to end a turn after ${cap}`, async () => {
      verifies('G8.loop')
      const place = await makePlace()
      const gate = await createGate(place)
      const fired = await stops(place, before + 1, { env: { [CAP]: cap } })
      expect(fired.map(isContinued)).toEqual([...Array(before).fill(true), false])
      expect(fired.at(-1)?.notice).toContain('let quinn go on')
      expect(await stateOfGate(place, gate)).toBe('breached')
      expect(await passesTold(place)).toHaveLength(1)
    })
  }

  it('counts gates, mail and commands of the user together, and tells of each that was passed', async () => {
    verifies('G8.loop')
    const place = await makePlace({ hooks: [hook(`[ -e hold ] || exit 0; echo '{"block":"the command holds"}'`)] })
    const mail = await push(place, 'mail', { priority: 2 })
    const first = await stops(place, 1)
    expect(first.flatMap(idsIn)).toEqual([mail])
    const gate = await createGate(place)
    const byGate = await stops(place, 2)
    expect(byGate.map(({ block }) => block.includes('wait for justin'))).toEqual([true, true])
    await asJustin(place, ({ gates }) => gates.waive({ id: gate, reason: 'enough of it' }))
    writeFileSync(join(place.project, 'hold'), '')
    const byCommand = await stops(place, 2)
    expect(byCommand.map(({ block }) => block.includes('the command holds'))).toEqual([true, true])

    const late = await push(place, 'late', { priority: 0 })
    const [released] = await stops(place, 1)
    expect(released && isContinued(released)).toBe(false)
    expect(await deliveryOf(place, late)).toMatchObject({ state: 'pending', attempt: 0 })
    const told = (await toldTo(place)).join('\n')
    expect(told).toContain('command at 25')
    expect(told).toContain('put off 5 times in a row')
    expect(told).toContain('one message waits')
  })

  it(
    'is put off five times even if a user command takes longer than the agent needs until its next stop',
    FULL,
    async () => {
      verifies('G8.loop')
      const place = await makePlace({ hooks: [hook('sleep 0.3', { priority: 12 })] })
      await createGate(place)
      expect((await stops(place, 6)).map(isContinued)).toEqual([true, true, true, true, true, false])
    },
  )

  it('is released in silence where nothing more would put it off', async () => {
    const place = await makePlace()
    for (let at = 0; at < 5; at++) {
      await push(place, `mail ${at}`)
      expect((await stops(place, 1)).map(isContinued)).toEqual([true])
    }
    expect((await stops(place, 1)).map(isContinued)).toEqual([false])
    expect(await toldTo(place)).toEqual([])
  })

  it('counts anew after a prompt, but not after a tool', async () => {
    const place = await makePlace()
    await createGate(place)
    const env = { env: { [CAP]: '3' } }
    await stops(place, 1, env)
    await fire(place, 'UserPromptSubmit')
    expect((await stops(place, 2, env)).map(isContinued)).toEqual([true, true])
    await fire(place, 'PostToolBatch', { fields: { tool_calls: [] } })
    expect((await stops(place, 1, env)).map(isContinued)).toEqual([false])
  })

  it('is answered alike by a hook that is installed twice, however late the second one is', async () => {
    verifies('S000.event.twice')
    const place = await makePlace()
    await createGate(place)
    const late = { wrap: ['bash', '-c', 'until [ -e go ]; do sleep 0.02; done; exec "$@"', 'bash'] }
    for (const isLast of [false, false, false, false, false, true]) {
      const second = stops(place, 1, late)
      const first = await stops(place, 1)
      writeFileSync(join(place.project, 'go'), '')
      expect([...first, ...(await second)].map(isContinued)).toEqual([!isLast, !isLast])
      rmSync(join(place.project, 'go'))
    }
  })

  it('is breached, and a person told, where the session ends although a gate holds it', async () => {
    verifies('G8.loop')
    const place = await makePlace()
    const gate = await createGate(place)
    await stops(place, 1)
    await fire(place, 'SessionEnd', { fields: { reason: 'prompt_input_exit' } })
    expect(await stateOfGate(place, gate)).toBe('breached')
    expect(await passesTold(place)).toEqual([expect.stringContaining('ended the session')])
  })

  it('is breached there by gates of the session too, unless they are met by then', async () => {
    verifies('G8.loop')
    const tidy = { reason: 'the desk is untidy' }
    const place = await makePlace({ gates: { tidy, done: { check: 'test -e done', reason: 'not done' } } })
    await stops(place, 1)
    writeFileSync(join(place.project, 'done'), '')
    await fire(place, 'SessionEnd', { fields: { reason: 'prompt_input_exit' } })
    expect(await passesTold(place)).toEqual([expect.stringMatching(/session gate tidy.*ended the session/)])
  })
})

describe('a soft gate', () => {
  it('warns once in a session and holds nobody', async () => {
    verifies('S000.hook.soft')
    const place = await makePlace({ gates: { 'tidy-up': { mode: 'soft', reason: 'the desk is untidy' } } })
    const [first, second] = await stops(place, 2)
    expect([first?.block, first?.context]).toEqual(['', expect.stringContaining('the desk is untidy')])
    expect(second?.stdout).toBe('')
    const [other] = await stops(place, 1, { session: 'ses-2' })
    expect(other?.context).toContain('the desk is untidy')
    expect(await toldTo(place)).toEqual([])
  })

  it('warns again where its warning was not taken', async () => {
    verifies('S000.hook.soft')
    const place = await makePlace({ gates: { 'tidy-up': { mode: 'soft', reason: 'the desk is untidy' } } })
    await stops(place, 1, { wrap: ['bash', '-c', '"$@" > /dev/full', 'bash'] })
    expect((await stops(place, 2)).map(isContinued)).toEqual([true, false])
  })
})

describe('a marker that an agent leaves for a gate', () => {
  const gates = { 'tests-pass': { mode: 'strict', reason: 'run the tests' } }

  it('is a hint for its own session, at once, and says nothing for any other', async () => {
    verifies('S000.hook.markers')
    const place = await makePlace({ gates: { ...gates, decision: 'strict' } })
    leaveMarker(place, 'ses-0', 'tests-pass')
    leaveMarker(place, 'ses-0', 'decision')
    const [held] = await stops(place, 1)
    expect(held?.block).toContain('run the tests')
    leaveMarker(place, 'ses-1', 'tests-pass')
    // Whether anything was asked the store knows itself.
    leaveMarker(place, 'ses-1', 'decision')
    const [asked] = await stops(place, 1)
    expect(asked?.block).toContain('offer your person a decision')
    expect(asked?.block).not.toContain('run the tests')
  })

  it('opens no gate that a command judges, and no gate that there is not', async () => {
    verifies('S000.hook.markers')
    const place = await makePlace({ gates: { checked: { check: 'test -e done', reason: 'not done' } } })
    const durable = await createGate(place)
    for (const name of ['checked', durable, 'nonsense']) leaveMarker(place, 'ses-1', name)
    const [held] = await stops(place, 1)
    expect(held?.block).toContain('not done')
    expect(held?.block).toContain('wait for justin')
    writeFileSync(join(place.project, 'done'), '')
    const [still] = await stops(place, 1)
    expect(still?.block).not.toContain('not done')
  })
})

describe('a command of the user', () => {
  it('adds a context, a block and a notice to the answer, at its place', async () => {
    verifies('S000.hook.commands')
    const said = JSON.stringify({ context: 'the context', block: 'the block', notice: 'the notice' })
    const place = await makePlace({ hooks: [hook(`cat > seen; echo '${said}'`, { priority: 12 })] })
    await createGate(place)
    const [fired] = await stops(place, 1)
    expect(fired?.context).toContain('the context')
    expect(fired?.block).toMatch(/the block[\s\S]*wait for justin/)
    expect(fired?.notice).toContain('the notice')
    const seen = JSON.parse(readFileSync(join(place.project, 'seen'), 'utf8'))
    expect(seen).toMatchObject({ event: 'turn.stop', session_id: 'ses-1', agent: 'quinn', host: 'claude-code' })
  })

  for (const [what, command] of [
    ['takes too long', 'sleep 60'],
    ['fails', `echo '{"block":"no"}'; exit 1`],
    ['prints what is no JSON', 'echo "{block: no"'],
    ['prints a list', `echo '["block"]'`],
    ['prints other types', `echo '{"block":7,"context":["x"],"notice":{}}'`],
    ['is not there', '/nowhere/at-all'],
  ] as const) {
    it(`says nothing where it ${what}, and the others are heard`, async () => {
      verifies('S000.hook.commands')
      const place = await makePlace({ hooks: [hook(command, { timeoutMs: 500 })] })
      const id = await push(place, 'mail')
      const [fired] = await stops(place, 1)
      expect(fired?.code).toBe(0)
      expect(fired?.block).toBe('')
      expect(fired && idsIn(fired)).toEqual([id])
    })
  }

  it('that hangs, and a gate whose command hangs, keep nobody waiting: the gate holds', async () => {
    verifies('S000.hook.commands')
    const gates = { slow: { check: 'sleep 60', reason: 'the check must pass' } }
    const place = await makePlace({ gates, hooks: [hook('sleep 60', { timeoutMs: 5_000 })] })
    // However late the hook is, it knows of the gate.
    await fire(place, 'UserPromptSubmit')
    const [fired] = await stops(place, 1, { hasDeadline: true })
    expect(fired?.block).toContain('the check must pass')
    expect(fired?.ms).toBeLessThan(HOST_TIMEOUT_MS)
  })

  it('cannot say more than there is room for', async () => {
    const place = await makePlace({
      hooks: [hook(`node -e 'console.log(JSON.stringify({context: "x".repeat(60000)}))'`)],
    })
    const [fired] = await stops(place, 1)
    expect(fired?.context.length).toBeGreaterThan(1_000)
    expect(fired?.context.length).toBeLessThanOrEqual(8_000)
  })

  it('is run at the end of a session too', async () => {
    const place = await makePlace({ hooks: [hook('touch ended', { event: 'session.end' })] })
    await fire(place, 'UserPromptSubmit')
    await fire(place, 'SessionEnd', { fields: { reason: 'other' } })
    expect(readFileSync(join(place.project, 'ended'), 'utf8')).toBe('')
  })
})

async function stops(place: Place, count: number, firing: Firing = {}): Promise<Fired[]> {
  const fired: Fired[] = []
  for (let at = 0; at < count; at++)
    fired.push(await fire(place, 'Stop', { fields: { stop_hook_active: at > 0 }, ...firing }))
  return fired
}

function leaveMarker({ project }: Place, session: string, gate: string): void {
  const folder = join(project, '.runtime', 'gates', session)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, gate), '')
}
