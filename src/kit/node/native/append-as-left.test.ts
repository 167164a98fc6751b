import { spawnSync } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../../test/helpers/temp.ts'
import { appendAsLeft, type LeftFile } from './append-as-left.ts'
import { tryLockDescriptor } from './flock.ts'

const BEFORE = 'before\n'

function openLeft(path = join(temporaryFolder(), 'log')): LeftFile {
  writeFileSync(path, BEFORE)
  const fd = openSync(path, 'a')
  onTestFinished(() => closeSync(fd))
  const { dev, ino, size } = fstatSync(fd)
  return { fd, path, dev, ino, size, changedByMs: Date.now() + 1 }
}

const textOf = (path: string) => readFileSync(path, 'utf8')

describe('an append to a file as it was left', () => {
  it('adds the bytes and lets go of the lock', () => {
    const left = openLeft()
    expect(appendAsLeft(left, Buffer.from('after\n'))).toBe(true)
    expect(textOf(left.path)).toBe(`${BEFORE}after\n`)
    expect(spawnSync('flock', ['-n', left.path, 'true']).status).toBe(0)
  })

  it('takes a view of a larger buffer for what it shows, and no more of it than was asked for', () => {
    const left = openLeft()
    const view = Buffer.from('not this, but that, and no more').subarray(10, 18)
    expect(appendAsLeft(left, view)).toBe(true)
    const again = { ...left, size: left.size + view.length, changedByMs: Date.now() + 1 }
    expect(appendAsLeft(again, view, 3)).toBe(true)
    expect(textOf(left.path)).toBe(`${BEFORE}but thatbut`)
  })

  it.each([-1, Number.NaN, 9])('refuses to add %d of eight bytes', (count) => {
    const left = openLeft()
    expect(() => appendAsLeft(left, Buffer.from('too much'), count)).toThrow('Invalid argument')
    expect(textOf(left.path)).toBe(BEFORE)
  })

  it.each<[string, (left: LeftFile) => LeftFile]>([
    [
      'somebody has it locked',
      (left) => {
        const other = openSync(left.path, 'a')
        onTestFinished(() => closeSync(other))
        expect(tryLockDescriptor(other)).toBe(true)
        return left
      },
    ],
    ['it is longer', (left) => ({ ...left, size: left.size - 1 })],
    ['it is shorter', (left) => ({ ...left, size: left.size + 1 })],
    [
      'it was changed since, to the same length',
      (left) => {
        utimesSync(left.path, new Date(), new Date(left.changedByMs + 1_000))
        return left
      },
    ],
    [
      'its path names another file',
      (left) => {
        renameSync(left.path, `${left.path}.1`)
        openLeft(left.path)
        renameSync(`${left.path}.1`, `${left.path}.old`)
        return left
      },
    ],
    ['its path is too long for the system', (left) => ({ ...left, path: `${left.path}${'/./'.repeat(2_000)}` })],
  ])('does nothing where %s', (_, change) => {
    const left = openLeft()
    expect(appendAsLeft(change(left), Buffer.from('after\n'))).toBe(false)
    expect(textOf(left.path)).toBe(BEFORE)
  })

  it('does nothing where its path names no file any more', () => {
    const left = openLeft()
    rmSync(left.path)
    expect(appendAsLeft(left, Buffer.from('after\n'))).toBe(false)
    expect(fstatSync(left.fd).size).toBe(left.size)
  })

  it('takes back what it has written where that is not all', () => {
    const path = join(temporaryFolder(), 'log')
    writeFileSync(path, BEFORE)
    // No file may be larger than 1 KB there: the system writes as much as it may, and tells how much that was.
    const script = `import { fstatSync, openSync } from 'node:fs'
      const { appendAsLeft } = await import(${JSON.stringify(new URL('append-as-left.ts', import.meta.url).href)})
      const fd = openSync(process.argv[1], 'a')
      const { dev, ino, size } = fstatSync(fd)
      const left = { fd, path: process.argv[1], dev, ino, size, changedByMs: Date.now() + 1 }
      process.stdout.write(String(appendAsLeft(left, Buffer.alloc(4_000, 'x'))))`
    const words = [
      '-c',
      'ulimit -f 1; exec "$@"',
      'bash',
      process.execPath,
      '--input-type=module',
      '--eval',
      script,
      path,
    ]
    const { stdout, stderr } = spawnSync('bash', words, { encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: 'false', stderr: '' })
    expect(textOf(path)).toBe(BEFORE)
  })
})
