import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { type Flock, openFlock } from './flock.ts'

function open(path: string): Flock {
  const lock = openFlock(path)
  if (!lock) throw new Error('there is no addon for this platform')
  onTestFinished(() => lock.close())
  return lock
}

const isFreeForOthers = (path: string) => spawnSync('flock', ['-n', path, 'true']).status === 0

/** Another program that holds the lock until it is killed. */
async function holdBy(command: string, args: readonly string[]) {
  const holder = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => {
    holder.kill('SIGKILL')
  })
  await once(holder.stdout, 'data')
  return holder
}

const inPython = `import fcntl, sys, time
f = open(sys.argv[1], 'a'); fcntl.flock(f, fcntl.LOCK_EX); print('held', flush=True); time.sleep(60)`

describe('flock', () => {
  it('was built from its source', () => {
    const native = new URL('../../../native/', import.meta.url)
    const source = createHash('sha256')
      .update(readFileSync(new URL('flock.c', native)))
      .digest('hex')
    expect(readFileSync(new URL('prebuilt/flock.c.sha256', native), 'utf8').trim()).toBe(source)
  })

  it('excludes other programs while it is held, and only then', async () => {
    const path = join(temporaryFolder(), 'lock')
    const lock = open(path)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(isFreeForOthers(path)).toBe(true)
    expect(await lock.lock(1_000)).toBe(true)
    expect(isFreeForOthers(path)).toBe(false)
    lock.unlock()
    expect(isFreeForOthers(path)).toBe(true)
    expect(await lock.lock(1_000)).toBe(true)
    lock.close()
    expect(isFreeForOthers(path)).toBe(true)
  })

  it.each([
    ['flock(1)', 'flock', (path: string) => ['-o', path, 'sh', '-c', 'echo held; exec sleep 2']],
    ['Python', 'python3', (path: string) => ['-c', inPython, path]],
  ])('waits for %s without stopping the event loop, and gets it when that is killed', async (_, command, args) => {
    const path = join(temporaryFolder(), 'lock')
    const holder = await holdBy(command, args(path))
    let ticks = 0
    const ticking = setInterval(() => ticks++, 5)
    const locking = open(path).lock(10_000)
    setTimeout(() => holder.kill('SIGKILL'), 100)
    expect(await locking).toBe(true)
    clearInterval(ticking)
    expect(ticks).toBeGreaterThan(5)
  })

  it('gives up in time, and then lets go of what it gets too late', async () => {
    const path = join(temporaryFolder(), 'lock')
    const holder = open(path)
    expect(await holder.lock(1_000)).toBe(true)
    expect(await open(path).lock(30)).toBe(false)
    holder.unlock()
    await expect.poll(() => isFreeForOthers(path)).toBe(true)
  })

  it('does not keep a process from ending that gave up', () => {
    const path = join(temporaryFolder(), 'lock')
    const script = `import { openFlock } from ${JSON.stringify(new URL('./flock.ts', import.meta.url).href)}
      const [a, b] = [openFlock(process.argv[1]), openFlock(process.argv[1])]
      await a.lock(1000); console.log(await b.lock(50))`
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', script, path], { timeout: 10_000 })
    expect(`${run.stdout}${run.stderr}`).toBe('false\n')
    expect(run.status).toBe(0)
  })
})
