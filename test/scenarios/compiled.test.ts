import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type CommandOptions, EXECUTABLE, postern } from '../helpers/command.ts'
import { WITHOUT_ROOT } from '../helpers/needs.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { warmPostern } from '../helpers/warm-command.ts'

/** Before the code that is kept of a bundle stands the digest by which the bundle ends. */
const DIGEST_LENGTH = 16
const ALIGNMENT = 8

describe('the code that is kept of a bundle', () => {
  let home = ''
  let options: CommandOptions = { home }
  let kept = ''
  const push = (wrap: readonly string[] = []) =>
    postern({ ...options, wrap }, 'inbox', 'push', '--to', 'quinn', 'hello')
  const code = () => readFileSync(kept)

  beforeEach(async () => {
    home = temporaryFolder()
    options = { home, hasOwnCache: true }
    kept = join(home, 'cache', `often.cjs-inbox-${process.version}`)
    await warmPostern(options, 'agent', 'add', 'quinn')
    expect((await push()).exit).toBe(0)
  })

  it('is made by the first command, and good for the next ones', async () => {
    const before = code()
    expect((await push()).exit).toBe(0)
    expect(code().equals(before)).toBe(true)
    expect(readdirSync(join(home, 'cache')).filter((name) => name.startsWith('often'))).toEqual([basename(kept)])
  })

  it('begins where V8 reads it without making a copy of it', async () => {
    const begins = () => code().indexOf('\n') + 1
    expect(begins() % ALIGNMENT).toBe(0)
    expect((await postern(options, 'inbox', 'drain', '--agent', 'quinn', '--limit', '1')).exit).toBe(0)
    expect(code().subarray(DIGEST_LENGTH, begins()).toString().trim().split(' ')).toEqual(['push', 'drain'])
    expect(begins() % ALIGNMENT).toBe(0)
  })

  it('grows once with each use that comes along', async () => {
    const before = code()
    const drain = () => postern(options, 'inbox', 'drain', '--agent', 'quinn', '--limit', '1')
    expect((await drain()).exit).toBe(0)
    const grown = code()
    expect(grown.length).toBeGreaterThan(before.length)
    for (const command of [drain, push]) expect((await command()).exit).toBe(0)
    expect(code().equals(grown)).toBe(true)
  })

  it('is made anew where it belongs to another bundle, though one of the same length', async () => {
    const before = code()
    writeFileSync(kept, Buffer.concat([Buffer.from('0'.repeat(DIGEST_LENGTH)), before.subarray(DIGEST_LENGTH)]))
    expect((await push()).exit).toBe(0)
    expect(code().subarray(0, DIGEST_LENGTH)).toEqual(before.subarray(0, DIGEST_LENGTH))
  })

  it.each<[string, (whole: Buffer) => Uint8Array]>([
    ['half of it', (whole) => whole.subarray(0, whole.length / 2)],
    ['something else', (whole) => Buffer.concat([whole.subarray(0, DIGEST_LENGTH), Buffer.alloc(1_000, 'x')])],
    ['nothing', () => Buffer.alloc(0)],
  ])('is not run where %s is there, and soon is there again', async (_, damaged) => {
    writeFileSync(kept, damaged(code()))
    for (let attempt = 0; attempt < 2; attempt++) expect((await push()).exit).toBe(0)
    const again = code()
    expect((await push()).exit).toBe(0)
    expect(code().equals(again)).toBe(true)
  })

  it.each(['.', 'cache'])('is neither made nor run where others can write to %j of the home', async (folder) => {
    writeFileSync(kept, 'not looked at')
    for (const mode of [0o777, 0o770, 0o702]) {
      chmodSync(join(home, folder), mode)
      expect((await push()).exit).toBe(0)
      expect(code().toString()).toBe('not looked at')
    }
  })

  it('is neither made nor run where the home is named by where one is, which may be what somebody else has made', async () => {
    writeFileSync(kept, 'not looked at')
    const env = { POSTERN_HOME: '.' }
    expect((await postern({ ...options, env }, 'inbox', 'push', '--to', 'quinn', 'hello')).exit).toBe(0)
    expect(code().toString()).toBe('not looked at')
  })

  it('lies in a folder that nobody else can look into, whatever the mask', async () => {
    rmSync(join(home, 'cache'), { recursive: true })
    const words = ['-c', 'umask 0; "$@"', 'sh', process.execPath, EXECUTABLE, 'inbox', 'push', '--to', 'quinn', 'hello']
    execFileSync('sh', words, { env: { POSTERN_HOME: home }, stdio: 'ignore' })
    expect(statSync(join(home, 'cache')).mode & 0o777).toBe(0o700)
    expect(statSync(kept).mode & 0o777).toBe(0o600)
  })

  it('disturbs nobody where it can be neither kept nor removed', async () => {
    writeFileSync(kept, code().subarray(0, 1_000))
    chmodSync(join(home, 'cache'), 0o500)
    onTestFinished(() => chmodSync(join(home, 'cache'), 0o700))
    expect(await push(WITHOUT_ROOT)).toMatchObject({ exit: 0, stderr: '' })
    expect(code().length).toBe(1_000)
  })

  it('disturbs nobody where there can be no folder for it', async () => {
    rmSync(join(home, 'cache'), { recursive: true })
    writeFileSync(join(home, 'cache'), 'no folder')
    expect(await push()).toMatchObject({ exit: 0, stderr: '' })
  })

  it('takes parts that are loaded on use from beside the bundle', async () => {
    // The reaper's shelves and a full push are such parts.
    const { exit, stderr } = await postern(options, 'inbox', 'push', '--to', 'all', 'hello')
    expect([exit, stderr]).toEqual([0, ''])
    expect(existsSync(kept)).toBe(true)
  })
})
