import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { answerOf, askCli, expectFailure, runCli } from './harness/cli.ts'
import { fill, mountMemory, needsMounts } from './harness/disk.ts'
import { storeOf } from './harness/home.ts'
import {
  asJustin,
  createGate,
  type Fired,
  faultsOf,
  fire,
  makePlace,
  type Place,
  passesTold,
  push,
  stateOfGate,
  toldTo,
} from './harness/hook.ts'
import { run } from './harness/need.ts'

const BASH = { fields: { tool_name: 'Bash', tool_input: {}, tool_use_id: 'toolu_1' } }
/** Runs the command that it is given as a process of its own. */
const RUN_BELOW = `const [command, ...args] = process.argv.slice(1)
process.exit(require('node:child_process').spawnSync(command, args, { stdio: 'inherit' }).status)`
const SUFFIXES = ['', '-wal', '-shm']

/** Ways to lose a store so that a blank one is in its place, and how to bring the old one back. */
const LOSSES: readonly (readonly [string, (place: Place) => Promise<() => void>])[] = [
  ['deleted and made anew', async (place) => removeStore(place)],
  [
    'emptied',
    async (place) => {
      const restore = removeStore(place)
      writeFileSync(storeOf(place.home), '')
      return restore
    },
  ],
  ['moved away with its home', async ({ home }) => moveHome(home)],
]

describe.each(LOSSES)('after the store was %s', (loss, lose) => {
  const first = loss === LOSSES[0]?.[0] ? {} : FULL

  it(
    'a strict stop gate holds three times, then passes, and both stores hear of it',
    loss === 'emptied' ? FULL : {},
    async () => {
      verifies('G8.replaced')
      const place = await makePlace()
      const gate = await createGate(place)
      await fire(place, 'UserPromptSubmit')
      const restore = await lose(place)
      await makeBlankStore(place)
      const held: Fired[] = []
      for (let at = 0; at < 4; at++) held.push(await fire(place, 'Stop'))
      expect(held.map(({ block }) => block.includes('wait for justin'))).toEqual([true, true, true, false])
      expect(held[3]?.notice).toContain(gate)
      expect(await passesTold(place)).toEqual([expect.stringMatching(new RegExp(`${gate}.*bypassed.*replaced`))])
      restore()
      await fire(place, 'UserPromptSubmit')
      expect(await passesTold(place)).toEqual([expect.stringContaining(gate)])
      expect((await fire(place, 'Stop')).block).toContain('wait for justin')
    },
  )

  it('a strict tool gate holds, whatever other sessions of its agent do', first, async () => {
    verifies('G8.replaced')
    const place = await makePlace()
    await createGate(place, { hook: 'tool', tool: 'Bash', reason: 'no commands' })
    await fire(place, 'UserPromptSubmit')
    await lose(place)
    await makeBlankStore(place)
    for (const event of ['SessionStart', 'UserPromptSubmit', 'PreToolUse']) {
      await fire(place, event, { session: 'ses-2', fields: { source: 'startup', ...BASH.fields } })
      expect((await fire(place, 'PreToolUse', BASH)).block).toContain('no commands')
    }
    expect(existsSync(join(place.home, 'quiet', 'quinn'))).toBe(false)
  })
})

describe('while a home is away and no store was made', () => {
  it('a strict stop gate holds three times, and no home is made that would be in the way', async () => {
    verifies('G8.replaced')
    const place = await makePlace()
    const gate = await createGate(place)
    await fire(place, 'UserPromptSubmit')
    const restore = await moveHome(place.home)
    const held: Fired[] = []
    for (let at = 0; at < 4; at++) held.push(await fire(place, 'Stop'))
    expect(held.map(({ block }) => block !== '')).toEqual([true, true, true, false])
    expect(existsSync(join(place.home, 'shadow'))).toBe(false)
    restore()
    await fire(place, 'UserPromptSubmit')
    expect(await passesTold(place)).toEqual([expect.stringContaining(gate)])
  })
})

describe('a restored backup', () => {
  it('judges the gates that it knows, whatever became of them since', async () => {
    verifies('G8.replaced')
    const place = await makePlace()
    const gate = await createGate(place)
    const backup = await backUp(place)
    await fire(place, 'UserPromptSubmit')
    await asJustin(place, ({ gates }) => gates.resolve({ id: gate, reason: 'seen' }))
    expect((await fire(place, 'Stop')).block).toBe('')
    putBack(place, backup)
    expect((await fire(place, 'Stop')).block).toContain('justin')
    await asJustin(place, ({ gates }) => gates.waive({ id: gate, reason: 'seen again' }))
    expect((await fire(place, 'Stop')).block).toBe('')
  })

  it('does not lose a gate that is younger than it', async () => {
    verifies('G8.replaced')
    const place = await makePlace()
    const backup = await backUp(place)
    await createGate(place)
    await fire(place, 'UserPromptSubmit')
    putBack(place, backup)
    expect((await fire(place, 'Stop')).block).toContain('wait for justin')
  })

  it('lets a session go whose gate was closed and forgotten after the retention', async () => {
    const place = await makePlace({ limits: { retentionMs: 1_000 } })
    const gate = await createGate(place)
    await fire(place, 'UserPromptSubmit')
    await asJustin(place, ({ gates }) => gates.waive({ id: gate, reason: 'seen' }))
    const reap = `DELETE FROM gate_steps; DELETE FROM gates WHERE id = '${gate}'`
    run(process.execPath, ['-e', `new (require('node:sqlite').DatabaseSync)('${storeOf(place.home)}').exec("${reap}")`])
    run('touch', ['-d', '1 minute ago', ...shadowsOf(place)])
    expect((await fire(place, 'Stop')).block).toBe('')
  })
})

describe('gate forget', () => {
  it('lets the sessions of a store go that is gone; the pass is recorded and people are told', async () => {
    verifies('G8.forget')
    const place = await makePlace()
    const gate = await createGate(place)
    await fire(place, 'UserPromptSubmit')
    removeStore(place)
    await makeBlankStore(place)
    expect((await fire(place, 'Stop')).block).not.toBe('')
    const doctor = await runCli(place.home, ['doctor'])
    expect(doctor.stdout).toMatch(new RegExp(`gates.lost .*${gate} of quinn`))
    const { forgotten } = await askCli<{ forgotten: unknown }>(place.home, ['gate', 'forget', '--as', 'justin'])
    expect(forgotten).toEqual([{ agent: 'quinn', session: 'ses-1', gates: [gate] }])
    expect((await fire(place, 'Stop')).block).toBe('')
    expect(await toldTo(place)).toEqual([
      expect.stringMatching(new RegExp(`${gate}.*bypassed.*justin forgot the gate`)),
    ])
    expect(shadowsOf(place)).toEqual([])
    expect(await askCli(place.home, ['gate', 'forget', '--as', 'justin'])).toEqual({ forgotten: [] })
  })

  it('leaves the gates that the store knows alone', async () => {
    verifies('G8.forget')
    const place = await makePlace()
    const gate = await createGate(place)
    await fire(place, 'UserPromptSubmit')
    expect(await askCli(place.home, ['gate', 'forget', '--as', 'justin'])).toEqual({ forgotten: [] })
    expect((await fire(place, 'Stop')).block).toContain('wait for justin')
    expect(await stateOfGate(place, gate)).toBe('open')
  })

  it('is refused to programs, to callers without a name, and below the program of a host', async () => {
    verifies('G8.forget')
    const place = await makePlace()
    await createGate(place)
    await fire(place, 'UserPromptSubmit')
    removeStore(place)
    await makeBlankStore(place)
    await askCli(place.home, ['agent', 'add', 'quinn'])
    for (const who of [['--as', 'quinn'], []])
      expectFailure(await runCli(place.home, ['gate', 'forget', ...who]), 'NOT_ALLOWED')
    const claude = join(dirname(place.home), 'claude')
    symlinkSync(process.execPath, claude)
    const below = await runCli(place.home, ['gate', 'forget', '--as', 'justin'], {
      wrap: [claude, '-e', RUN_BELOW, '--'],
    })
    expectFailure(below, 'NOT_ALLOWED')
    expect((await fire(place, 'Stop')).block).toContain('wait for justin')
  })
})

describe('a home that cannot be written', needsMounts(), () => {
  it('on a read-only mount: a strict stop gate holds three times in a row, and people hear of the pass', async () => {
    verifies('G8.unwritable')
    const place = await makePlaceOnDisk()
    const gate = await createGate(place)
    await fire(place, 'UserPromptSubmit')
    run('mount', ['-o', 'remount,ro', place.home])
    const held: Fired[] = []
    for (let at = 0; at < 8; at++) held.push(await fire(place, 'Stop'))
    expect(held.map(({ block }) => block !== '')).toEqual([true, true, true, false, true, true, true, false])
    expect(held[3]?.notice).toContain(gate)
    run('mount', ['-o', 'remount,rw', place.home])
    await fire(place, 'UserPromptSubmit')
    expect(await passesTold(place)).toEqual([expect.stringContaining(gate)])
    await fire(place, 'UserPromptSubmit')
    expect(await passesTold(place)).toHaveLength(1)
  })

  it.each([
    ['on a read-only mount', (home: string) => run('mount', ['-o', 'remount,ro', home]), /cannot be written/],
    ['on a full disk', (home: string) => fill(join(home, 'filler')), /is full/],
  ])('%s: the host is told once that mail has to wait, and doctor finds why', async (_, spoil, why) => {
    verifies('G4.hook.unwritable')
    const place = await makePlaceOnDisk()
    await push(place, 'hello')
    spoil(place.home)
    const [first, second] = [await fire(place, 'UserPromptSubmit'), await fire(place, 'UserPromptSubmit')]
    expect(first.notice).toMatch(why)
    expect(second.notice).toBe('')
    expect(faultsOf(place).map(({ fault }) => fault)).toEqual([expect.stringMatching(why), expect.stringMatching(why)])
  })

  it('does not let a copy outside of it raise the count while it can be written', FULL, async () => {
    verifies('G8.unwritable')
    const place = await makePlaceOnDisk()
    await createGate(place)
    await fire(place, 'UserPromptSubmit')
    const runtime = join(dirname(place.home), 'run')
    const env = { XDG_RUNTIME_DIR: runtime }
    mkdirSync(runtime, { mode: 0o700 })
    run('mount', ['-o', 'remount,ro', place.home])
    for (let at = 0; at < 3; at++) expect((await fire(place, 'Stop', { env })).block).not.toBe('')
    run('mount', ['-o', 'remount,rw', place.home])
    const restore = removeStore(place)
    for (let at = 0; at < 3; at++) expect((await fire(place, 'Stop', { env })).block).not.toBe('')
    expect((await fire(place, 'Stop', { env })).block).toBe('')
    restore()
  })
})

describe('a machine on which nothing can be written', needsMounts(), () => {
  it('holds a strict stop gate until the host says that the turn was continued', async () => {
    verifies('G8.unwritable')
    const place = await makePlace()
    const gate = await createGate(place)
    await fire(place, 'UserPromptSubmit')
    const folders = ['/tmp', dirname(place.home)]
    const mounts = folders.map((path) => `mount --bind ${path} ${path} && mount -o remount,ro,bind ${path}`)
    const line = [...mounts, 'mount -t tmpfs -o ro postern-test /dev/shm', 'exec "$@"'].join(' && ')
    const wrap = ['unshare', '--mount', 'sh', '-c', line, 'sh']
    const stop = (isActive: boolean) => fire(place, 'Stop', { wrap, fields: { stop_hook_active: isActive } })
    expect((await stop(false)).block).toContain('wait for justin')
    const passed = await stop(true)
    expect([passed.block, passed.notice]).toEqual(['', expect.stringContaining(gate)])
  })
})

async function makePlaceOnDisk(): Promise<Place> {
  const place = await makePlace()
  const kept = join(dirname(place.home), 'kept')
  renameSync(place.home, kept)
  onTestFinished(mountMemory(place.home, 'size=16m,mode=700'))
  cpSync(kept, place.home, { recursive: true })
  return place
}

/** As any command does that finds no store; then a person registers. */
async function makeBlankStore({ home }: Place): Promise<void> {
  await askCli(home, ['agent', 'list'])
  await askCli(home, ['agent', 'add', 'justin', '--kind', 'human', '--owner'])
}

function removeStore({ home }: Place): () => void {
  const kept = join(dirname(home), 'kept-store')
  mkdirSync(kept)
  const move = (from: string, to: string) => {
    for (const suffix of SUFFIXES) rmSync(to + suffix, { force: true })
    for (const suffix of SUFFIXES) if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix)
    for (const suffix of SUFFIXES) rmSync(from + suffix, { force: true })
  }
  move(storeOf(home), storeOf(kept))
  return () => move(storeOf(kept), storeOf(home))
}

async function moveHome(home: string): Promise<() => void> {
  const away = `${home}-away`
  renameSync(home, away)
  return () => {
    rmSync(home, { recursive: true, force: true })
    renameSync(away, home)
  }
}

async function backUp({ home }: Place): Promise<string> {
  const path = join(dirname(home), 'backup.db')
  answerOf(await runCli(home, ['backup', path, '--json']))
  return path
}

function putBack({ home }: Place, backup: string): void {
  for (const suffix of SUFFIXES) rmSync(storeOf(home) + suffix, { force: true })
  rmSync(join(home, 'quiet'), { recursive: true, force: true })
  copyFileSync(backup, storeOf(home))
}

function shadowsOf({ home }: Place): readonly string[] {
  return readdirSync(join(home, 'shadow')).map((name) => join(home, 'shadow', name))
}
