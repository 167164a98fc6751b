import { once } from 'node:events'
import { appendFileSync, chmodSync, chownSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { setTrust } from '../../src/host/config/trust.ts'
import { openShadow, type Shadow } from '../../src/host/shadow.ts'
import { spoolPath } from '../../src/spool/path.ts'
import { FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { askCli } from './harness/cli.ts'
import { listEverything, storeOf, withStore } from './harness/home.ts'
import {
  createGate,
  deliveryOf,
  type Fired,
  type Firing,
  faultsOf,
  fire,
  HOST_TIMEOUT_MS,
  idsIn,
  makePlace,
  type Place,
  passesTold,
  push,
  stateOfGate,
} from './harness/hook.ts'
import { requireRoot } from './harness/need.ts'
import { damage, lock, lockWhole, replaceByFolder, zeroPages } from './harness/store-troubles.ts'

const HOUR_MS = 60 * 60 * 1000
const BASH = { fields: { tool_name: 'Bash', tool_input: {}, tool_use_id: 'toolu_1' } }

/** Ways in which a store cannot be read, and how to bring it back. `npm test` has one of each class: locked, damaged, gone. */
interface Trouble {
  readonly what: string
  readonly tier?: typeof FULL
  begin(place: Place): Promise<() => Promise<void>>
}

const TROUBLES: readonly Trouble[] = [
  { what: 'locked by another process', tier: FULL, begin: (place) => lock(place, false) },
  { what: 'locked by a process that was stopped', begin: (place) => lock(place, true) },
  { what: 'locked against readers too, by a process that was stopped', tier: FULL, begin: lockWhole },
  { what: 'damaged by a page of zeros', begin: (place) => damage(place, zeroPages) },
  {
    what: 'replaced by garbage',
    tier: FULL,
    begin: (place) => damage(place, (path) => writeFileSync(path, 'no database '.repeat(999))),
  },
  { what: 'deleted', begin: (place) => damage(place, (path) => rmSync(path)) },
  { what: 'replaced by a folder', tier: FULL, begin: (place) => damage(place, replaceByFolder) },
  { what: "somebody else's", tier: FULL, begin: (place) => damage(place, (path) => chownSync(path, 65_534, 65_534)) },
]

for (const { what, tier = {}, begin } of TROUBLES) {
  /** Every rule has one trouble in `npm test`, and every class of troubles the first rule. */
  const unless = (trouble: string) => (what === trouble ? {} : FULL)

  describe(`while the store is ${what}`, tier, () => {
    it('a strict stop gate holds three times, then passes; a person is told once the store is back', async () => {
      verifies('G8.unavailable', 'G8.in-time')
      const place = await makePlace()
      const gate = await createGate(place)
      await fire(place, 'UserPromptSubmit')
      const end = await begin(place)
      const held: Fired[] = []
      for (let at = 0; at < 4; at++) held.push(await fireInTime(place, 'Stop'))
      expect(held.map(({ block }) => block.includes('wait for justin'))).toEqual([true, true, true, false])
      expect(held[3]?.notice).toContain(gate)
      expect(faultsOf(place).length).toBeGreaterThanOrEqual(4)

      await end()
      await fire(place, 'UserPromptSubmit')
      expect(await passesTold(place)).toEqual([expect.stringContaining('bypassed')])
      expect(await stateOfGate(place, gate)).toBe('open')
      // Told once, and the gate holds again.
      expect((await fire(place, 'Stop')).block).toContain('wait for justin')
      expect(await passesTold(place)).toHaveLength(1)
    })

    it('a strict tool gate holds its tool, and no other', unless('deleted'), async () => {
      verifies('G8.unavailable', 'G8.in-time')
      const place = await makePlace()
      await createGate(place, { hook: 'tool', tool: 'Bash', reason: 'no commands' })
      await fire(place, 'UserPromptSubmit')
      const end = await begin(place)
      for (let at = 0; at < 4; at++)
        expect((await fireInTime(place, 'PreToolUse', BASH)).block).toContain('no commands')
      const other = await fireInTime(place, 'PreToolUse', { fields: { tool_name: 'Read', tool_use_id: 'toolu_2' } })
      expect([other.stdout, other.code]).toEqual(['', 0])
      await end()
    })

    it(
      'a gate that was made to allow is passed, a soft one warns, and a person is told of the first',
      unless('damaged by a page of zeros'),
      async () => {
        verifies('G8.unavailable')
        const place = await makePlace({ gates: { 'tidy-up': { mode: 'soft', reason: 'untidy' } } })
        const allowed = await createGate(place, { onUnavailable: 'allow' })
        await fire(place, 'UserPromptSubmit')
        const end = await begin(place)
        const fired = await fireInTime(place, 'Stop')
        expect(fired.block).toBe('')
        expect(fired.notice).toMatch(new RegExp(`${allowed}.*tidy-up was not checked`))
        await end()
        await fire(place, 'UserPromptSubmit')
        expect(await passesTold(place)).toEqual([expect.stringContaining(allowed)])
      },
    )

    it('the copies in the spool are shown, once, and are seen once the store is back', unless('deleted'), async () => {
      verifies('S000.hook.spool')
      const place = await makePlace()
      const stored = await push(place, 'in the store')
      await fire(place, 'SessionStart', { fields: { source: 'startup' } })
      const end = await begin(place)
      spool(place, { id: 'x-1', content: 'brought by a courier', dedup_key: 'courier:1' })
      const shown = await fireInTime(place, 'UserPromptSubmit')
      expect(shown.context).toContain('brought by a courier')
      expect((await fireInTime(place, 'UserPromptSubmit')).context).toBe('')
      await end()
      expect((await fire(place, 'UserPromptSubmit')).context).not.toContain('brought by a courier')
      expect(await contentsSeen(place)).toContain('brought by a courier')
      expect(await deliveryOf(place, stored)).toMatchObject({ state: 'seen' })
    })
  })
}

describe('gates of a session while the store is away', () => {
  it('hold too, unless they were met', async () => {
    verifies('G8.unavailable')
    const place = await makePlace({ gates: { decision: 'strict', 'tests-pass': { reason: 'run the tests' } } })
    await fire(place, 'UserPromptSubmit')
    await askCli(place.home, ['gate', 'mark', 'tests-pass', '--session', 'ses-1'])
    await fire(place, 'UserPromptSubmit')
    const end = await lock(place, true)
    const { block } = await fireInTime(place, 'Stop')
    expect(block).toContain('decision')
    expect(block).not.toContain('run the tests')
    await end()
  })

  it('are reported by another session where their own never comes back', async () => {
    verifies('G8.unavailable')
    const place = await makePlace()
    const gate = await createGate(place, { onUnavailable: 'allow' })
    await fire(place, 'UserPromptSubmit')
    const end = await damage(place, (path) => rmSync(path))
    await fire(place, 'Stop')
    await fire(place, 'SessionEnd', { fields: { reason: 'other' } })
    await end()
    expect(await passesTold(place)).toEqual([])
    await fire(place, 'SessionStart', { session: 'ses-2', agent: 'robin', fields: { source: 'startup' } })
    expect(await passesTold(place)).toEqual([expect.stringMatching(new RegExp(`${gate}.*bypassed.*ses-1`))])
    await fire(place, 'SessionStart', { session: 'ses-3', agent: 'robin', fields: { source: 'startup' } })
    expect(await passesTold(place)).toHaveLength(1)
  })

  it('give way before the host ends the turn by itself', async () => {
    verifies('G8.unavailable')
    const place = await makePlace()
    await createGate(place)
    await fire(place, 'UserPromptSubmit')
    await damage(place, (path) => rmSync(path))
    const env = { env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '2' } }
    expect((await fire(place, 'Stop', env)).block).not.toBe('')
    expect((await fire(place, 'Stop', env)).block).toBe('')
  })

  it('give way when their time is over', async () => {
    const place = await makePlace()
    await createGate(place, { kind: 'timer', afterMs: HOUR_MS })
    await fire(place, 'UserPromptSubmit')
    await damage(place, (path) => rmSync(path))
    expect((await fire(place, 'Stop')).block).not.toBe('')
    changeShadow(place, ({ gates, ...shadow }) => ({ ...shadow, gates: gates.map((gate) => ({ ...gate, until: 1 })) }))
    expect((await fire(place, 'Stop')).block).toBe('')
  })

  it('give way before the host does if some stops were put off by the store and some without it', async () => {
    verifies('G8.unavailable', 'G8.loop')
    const place = await makePlace()
    const gate = await createGate(place)
    const cap = { env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '4' } }
    await fire(place, 'UserPromptSubmit')
    const held = [await fire(place, 'Stop', cap), await fire(place, 'Stop', cap)]
    const end = await damage(place, (path) => rmSync(path))
    held.push(await fire(place, 'Stop', cap), await fire(place, 'Stop', cap))
    expect(held.map(({ block }) => block !== '')).toEqual([true, true, true, false])
    await end()
    await fire(place, 'UserPromptSubmit')
    expect(await passesTold(place)).toEqual([expect.stringMatching(new RegExp(`${gate}.*bypassed`))])
  })

  it('count for the store as well once it is back, whatever event comes first', async () => {
    verifies('G8.unavailable', 'G8.loop')
    for (const between of [undefined, 'PostToolBatch'] as const) {
      const place = await makePlace()
      await createGate(place)
      const cap = { env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: '4' } }
      await fire(place, 'UserPromptSubmit')
      const held = [await fire(place, 'Stop', cap)]
      const end = await damage(place, (path) => rmSync(path))
      held.push(await fire(place, 'Stop', cap))
      await end()
      if (between) await fire(place, between, { fields: { tool_calls: [] } })
      held.push(await fire(place, 'Stop', cap), await fire(place, 'Stop', cap))
      expect(held.map(({ block }) => block !== '')).toEqual([true, true, true, false])
      expect(await passesTold(place)).toEqual([expect.stringMatching(/breached.*3 times in a row/)])
    }
  })

  it('are reported as passed if the session ends after a stop that was held without the store', async () => {
    verifies('G8.unavailable', 'G8.loop')
    const over = { fields: { reason: 'prompt_input_exit' } }
    for (const isBack of [true, false]) {
      const place = await makePlace()
      const gate = await createGate(place)
      await fire(place, 'UserPromptSubmit')
      const end = await damage(place, (path) => rmSync(path))
      expect((await fire(place, 'Stop')).block).not.toBe('')
      if (isBack) await end()
      await fire(place, 'SessionEnd', over)
      if (!isBack) await end()
      await fire(place, 'SessionStart', { session: 'ses-2', fields: { source: 'startup' } })
      const outcome = isBack ? 'breached' : 'bypassed'
      expect(await passesTold(place)).toEqual([expect.stringMatching(new RegExp(`${gate}.*${outcome}.*ses-1`))])
    }
  })

  it("are nobody else's: a hook under another name neither reads nor changes what a session knows", async () => {
    const place = await makePlace()
    await createGate(place)
    await fire(place, 'UserPromptSubmit')
    expect((await fire(place, 'Stop', { agent: 'robin' })).block).toBe('')
    await damage(place, (path) => rmSync(path))
    expect((await fire(place, 'Stop', { agent: 'robin' })).stdout).toBe('')
    expect((await fire(place, 'Stop')).block).toContain('wait for justin')
  })
})

describe('a server that keeps the store', () => {
  it('is not waited for where it takes a call and says nothing', async () => {
    verifies('G8.unavailable', 'G8.in-time')
    const place = await makePlace()
    await createGate(place)
    await fire(place, 'UserPromptSubmit')
    const store = `postgres://postern@127.0.0.1:${await startMute()}/postern`
    writeFileSync(join(place.home, 'config.json'), JSON.stringify({ store }))
    expect((await fireInTime(place, 'Stop')).block).toContain('wait for justin')
    expect(faultsOf(place)).toHaveLength(1)
  })
})

/** A server that listens and never answers. */
async function startMute(): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {}))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('a configuration that cannot be read', () => {
  it('of a project counts for nothing: gates hold and mail is shown', async () => {
    verifies('G8.config')
    const place = await makePlace()
    await createGate(place)
    const id = await push(place, 'mail')
    writeFileSync(join(place.project, 'postern.config.json'), '{ "limits": ')
    expect(idsIn(await fire(place, 'UserPromptSubmit'))).toEqual([id])
    expect((await fire(place, 'Stop')).block).toContain('wait for justin')
    expect(faultsOf(place).map(({ fault }) => fault)).toContainEqual(expect.stringContaining('postern.config.json'))
  })

  it('of a project holds a session wherever its agent goes', async () => {
    verifies('G8.config')
    const place = await makePlace()
    const settings = join(place.project, 'postern.config.json')
    writeFileSync(settings, JSON.stringify({ gates: { tidy: { reason: 'the desk is untidy' } } }))
    setTrust(place.home, settings, true)
    await fire(place, 'SessionStart', { fields: { source: 'startup' } })
    const elsewhere = join(place.project, 'vendor')
    mkdirSync(join(elsewhere, '.git'), { recursive: true })
    const there = { ...place, project: elsewhere }
    expect((await fire(there, 'Stop')).block).toContain('the desk is untidy')
    await fire(there, 'SessionStart', { fields: { source: 'compact' } })
    expect((await fire(there, 'Stop')).block).toContain('the desk is untidy')
    // Another session that begins there has nothing to do with it.
    const other = { session: 'ses-2' }
    await fire(there, 'SessionStart', { ...other, fields: { source: 'startup' } })
    expect((await fire(there, 'Stop', other)).block).toBe('')
  })

  for (const [what, text] of [
    ['is no JSON', '{ "limits": '],
    ['names a gate that is none', '{ "gates": { "Not A Name": "strict" } }'],
    ['names a store of no kind', '{ "store": "gopher://x" }'],
  ] as const) {
    it(`of the user leaves the gates as they were known: it ${what}`, async () => {
      verifies('G8.config')
      const place = await makePlace()
      await createGate(place)
      await fire(place, 'UserPromptSubmit')
      writeFileSync(join(place.home, 'config.json'), text)
      expect((await fireInTime(place, 'Stop')).block).toContain('wait for justin')
      expect(faultsOf(place)).toHaveLength(1)
    })
  }
})

describe('a store that may not be read', () => {
  it('is a fault like any other, for a user who is not root', async () => {
    verifies('G8.unavailable')
    requireRoot()
    const place = await makePlace()
    await createGate(place)
    const asNobody: Firing = { wrap: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] }
    give(place)
    await fire(place, 'UserPromptSubmit', asNobody)
    chmodSync(storeOf(place.home), 0)
    expect((await fireInTime(place, 'Stop', asNobody)).block).toContain('wait for justin')
    chmodSync(storeOf(place.home), 0o600)
    expect(faultsOf(place).length).toBeGreaterThan(0)
  })
})

/**
 * Fires while the store cannot be read, under the hook's own deadline. Every answer comes before the host gives up, and the
 * host never takes it for a refusal. `src/hooks/from-store.test.ts` proves the deadline itself.
 */
async function fireInTime(place: Place, event: string, firing: Firing = {}): Promise<Fired> {
  const fired = await fire(place, event, { ...firing, hasDeadline: true })
  expect([fired.code, fired.stderr]).toEqual([0, ''])
  expect(fired.ms).toBeLessThan(HOST_TIMEOUT_MS)
  return fired
}

/** Changes what the session `ses-1` knows of its gates. */
function changeShadow({ home }: Place, change: (shadow: Shadow) => Shadow): void {
  const file = openShadow(home, { agent: 'quinn', sessionId: 'ses-1' })
  file.write(change(file.read()))
}

function spool({ project }: Place, entry: Readonly<Record<string, unknown>>): void {
  const path = spoolPath(project, 'ses-1')
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
}

async function contentsSeen({ home }: Place): Promise<string[]> {
  return withStore(home, async (postern) =>
    (await listEverything(postern)).filter(({ state }) => state === 'seen').map(({ content }) => content),
  )
}

function give({ home, project }: Place): void {
  const folder = dirname(home)
  chmodSync(folder, 0o755)
  for (const path of [home, project, storeOf(home), join(home, 'config.json')]) chownSync(path, 65_534, 65_534)
}
