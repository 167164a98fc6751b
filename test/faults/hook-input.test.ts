import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { HealthReport } from '../../src/model/postern.ts'
import { FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { runCli } from './harness/cli.ts'
import {
  createGate,
  deliveryOf,
  describeEvent,
  type Fired,
  type Firing,
  faultsOf,
  fire,
  HOST_TIMEOUT_MS,
  makePlace,
  type Place,
  push,
} from './harness/hook.ts'

const PROMPT = 'UserPromptSubmit'
const MEGABYTE = 1024 * 1024

/** One of each kind runs in `npm test`; the others follow in the full tier. */
const KINDS: readonly string[] = [
  'nothing',
  'ten megabytes of JSON',
  'half an event',
  'bytes that are no text',
  'wrong types',
  'a deep nest',
  'a path',
  'a list',
  'an agent whose name is a path',
]
const tierOf = (what: string) => (KINDS.includes(what) ? {} : FULL)

/** Inputs that are no event, or not a sound one. */
const INPUTS: readonly (readonly [string, string | Uint8Array])[] = [
  ['nothing', ''],
  ['blanks', ' \n\t\n'],
  ['ten megabytes of one letter', 'x'.repeat(10 * MEGABYTE)],
  ['ten megabytes of JSON', JSON.stringify({ hook_event_name: 'x'.repeat(10 * MEGABYTE) })],
  ['a word', 'hello'],
  ['half an event', '{"hook_event_name":"UserPromptSubmit","session_id":"s'],
  ['bytes that are no text', Uint8Array.from({ length: 4_096 }, (_, at) => (at * 37) % 256)],
  ['a list', '[{"hook_event_name":"UserPromptSubmit","session_id":"ses-1"}]'],
  ['a number', '7'],
  ['null', 'null'],
  ['an empty object', '{}'],
  ['wrong types', '{"hook_event_name":7,"session_id":["ses-1"],"cwd":{}}'],
  ['a deep nest', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['a name that every object has', '{"hook_event_name":"constructor","session_id":"__proto__/x"}'],
]

/** Sessions that want to be somewhere else. */
const SESSIONS: readonly (readonly [string, unknown])[] = [
  ['a path', '../../x'],
  ['an absolute path', '/etc/passwd'],
  ['a NUL', 'ses\0one'],
  ['ten kilobytes', 's'.repeat(10 * 1024)],
  ['lines', 'ses\n{"at":"x"}'],
  ['letters beyond ASCII', 'sés'],
  ['nothing', ''],
  ['a number', 7],
  ['a list', ['ses-1']],
  ['null', null],
]

describe('a hook that is given', () => {
  for (const [what, input] of INPUTS) {
    it(`${what}, says nothing, consumes nothing and leaves a line for doctor`, tierOf(what), async () => {
      verifies('S000.hook.input')
      await expectHarmless(PROMPT, { input })
    })
  }

  for (const [what, session] of SESSIONS) {
    it(`a session that is ${what}, does the same`, tierOf(what), async () => {
      verifies('S000.hook.input')
      const place = await expectHarmless(PROMPT, { fields: { session_id: session } })
      expect(readdirSync(place.project)).toEqual(['.git'])
    })
  }

  it('two points as a session, keeps to its folders', async () => {
    verifies('S000.hook.input')
    const place = await makePlace()
    await createGate(place)
    expect((await fire(place, 'Stop', { session: '..' })).block).toContain('wait for justin')
    const shadows = readdirSync(join(place.home, 'shadow'))
    expect(shadows).toHaveLength(1)
    expect(existsSync(join(place.home, '.json'))).toBe(false)
  })

  for (const session of ['%2e%2e', 'a:b|c*d?"<>', '%'.repeat(200)]) {
    it(`the session ${session.slice(0, 20)}, serves it as any other`, session === '%2e%2e' ? {} : FULL, async () => {
      const place = await makePlace()
      const gate = await createGate(place)
      expect((await fire(place, 'Stop', { session })).block).toContain(gate)
      rmSync(join(place.home, 'postern.db'))
      // What it knew of its gates is found again.
      expect((await fire(place, 'Stop', { session })).block).toMatch(/cannot read its store[\s\S]*gate_/)
    })
  }

  for (const [what, firing] of [
    ['a host that there is not', { host: 'emacs' }],
    ['no agent', { agent: null }],
    ['an agent whose name is a path', { agent: '../../etc' }],
    ['an agent whose name is none', { agent: 'Q u\ninn' }],
  ] as const) {
    it(`${what}, says nothing, consumes nothing and leaves a line for doctor`, tierOf(what), async () => {
      verifies('S000.hook.input')
      await expectHarmless(PROMPT, firing)
    })
  }

  it('an agent that there is not, says so once, consumes nothing and leaves a line for doctor', async () => {
    verifies('S000.hook.input')
    const place = await expectHarmless(PROMPT, { agent: 'nobody' }, 'There is no agent nobody')
    expect((await fire(place, PROMPT, { agent: 'nobody' })).stdout).toBe('')
  })

  it('words that it does not know, says nothing', async () => {
    verifies('S000.hook.input')
    const place = await makePlace()
    const ran = await runCli(place.home, ['hook', '--host', 'claude-code', '--colour', 'red'])
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, '', ''])
    expect(faultsOf(place)).toHaveLength(1)
  })

  it('a whole event on an input that nobody closes, answers it in time', async () => {
    verifies('S000.hook.input')
    const place = await makePlace()
    await createGate(place)
    // However late the hook is, it knows of the gate.
    await fire(place, PROMPT)
    const fired = await fire(place, 'Stop', { isLeftOpen: true, hasDeadline: true })
    expect(fired.block).toContain('wait for justin')
    expect(fired.ms).toBeLessThan(HOST_TIMEOUT_MS)
  })

  it('nothing on an input that nobody closes, says nothing in time', async () => {
    verifies('S000.hook.input')
    await expectHarmless(PROMPT, { input: '', isLeftOpen: true, hasDeadline: true })
  })

  it('a folder that is gone, answers all the same', async () => {
    verifies('S000.hook.input')
    const place = await makePlace()
    const id = await push(place, 'mail')
    const gone = join(place.project, 'gone')
    mkdirSync(gone)
    const wrap = ['sh', '-c', `cd '${gone}'; rmdir '${gone}'; exec "$@"`, 'sh']
    expect((await fire(place, PROMPT, { wrap, fields: { cwd: gone } })).context).toContain(id)
  })

  it('an event with a mark of byte order before it, answers it', async () => {
    const place = await makePlace()
    const id = await push(place, 'mail')
    const input = `\uFEFF${JSON.stringify(describeEvent(place, PROMPT, {}))}`
    expect((await fire(place, PROMPT, { input })).context).toContain(id)
  })
})

describe('a host that wants an answer even where there is nothing to say', () => {
  for (const host of ['cursor', 'generic']) {
    it(`gets one: ${host}`, async () => {
      const place = await makePlace()
      for (const input of ['', 'null', '{"event":7}', '{"hook_event_name":"stop"}']) {
        const fired = await fire(place, 'stop', { host, input })
        expect([input, fired.code, fired.stdout.trim()]).toEqual([input, 0, '{}'])
      }
      expect((await fire(place, 'stop', { host, agent: null })).stdout.trim()).toBe('{}')
    })
  }
})

async function expectHarmless(event: string, firing: Firing, notice = ''): Promise<Place> {
  const place = await makePlace()
  const id = await push(place, 'not consumed', { priority: 0 })
  const fired: Fired = await fire(place, event, firing)
  expect([fired.code, fired.signal, fired.context + fired.block, fired.stderr]).toEqual([0, null, '', ''])
  expect(fired.notice).toContain(notice)
  if (notice === '') expect(fired.stdout).toBe('')
  expect(fired.ms).toBeLessThan(HOST_TIMEOUT_MS)
  expect(await deliveryOf(place, id)).toMatchObject({ state: 'pending', attempt: 0 })
  expect(faultsOf(place)).toHaveLength(1)
  const report: HealthReport = JSON.parse((await runCli(place.home, ['doctor', '--json'])).stdout)
  const said = report.checks.find(({ name }) => name === 'hooks.faults')
  expect(said?.detail).toContain(faultsOf(place)[0]?.fault.slice(0, 40))
  return place
}
