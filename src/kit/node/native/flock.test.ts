import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, copyFileSync, openSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEAD_MACHINE_MS, PATIENTLY } from '../../../../test/helpers/patience.ts'
import { temporaryFolder } from '../../../../test/helpers/temp.ts'
import { type Flock, lockByCommand, lockDescriptor, openFlock, tryLockDescriptor, unlockDescriptor } from './flock.ts'

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
    const locking = open(path).lock(DEAD_MACHINE_MS)
    let ticks = 0
    const ticking = setInterval(() => {
      if (++ticks === 10) holder.kill('SIGKILL')
    }, 5)
    expect(await locking).toBe(true)
    clearInterval(ticking)
  })

  it('gives up in time, and then lets go of what it gets too late', async () => {
    const path = join(temporaryFolder(), 'lock')
    const holder = open(path)
    expect(await holder.lock(DEAD_MACHINE_MS)).toBe(true)
    expect(await open(path).lock(30)).toBe(false)
    holder.unlock()
    await expect.poll(() => isFreeForOthers(path), PATIENTLY).toBe(true)
  })

  it('does not keep a process from ending that gave up', () => {
    const run = runScript(`const [held, wanted] = [open(), open()]
      await held.lock(1000)
      console.log(await wanted.lock(50))`)
    expect(run).toEqual({ output: 'false\n', status: 0 })
  })

  it('may be got in the very moment in which a process or a thread of it ends', () => {
    const run = runScript(`const held = open()
      await held.lock(1000)
      const { Worker } = await import('node:worker_threads')
      const worker = new Worker(new URL(import.meta.url), { workerData: 'waits' })
      await new Promise((resolve) => worker.once('online', resolve))
      const ending = worker.terminate()
      await Promise.all(Array.from({ length: 30 }, () => open().lock(5)))
      await ending
      held.close()`)
    expect(run).toEqual({ output: '', status: 0 })
  })

  it('may be got after the only thread that had loaded it has ended', async () => {
    const path = join(temporaryFolder(), 'lock')
    const holder = await holdBy('python3', ['-c', inPython, path])
    const run = runScript(
      `const { Worker } = await import('node:worker_threads')
       const worker = new Worker(new URL(import.meta.url), { workerData: 'waits' })
       await new Promise((resolve) => worker.once('message', resolve))
       await worker.terminate()
       process.kill(${holder.pid}, 'SIGKILL')
       await new Promise((resolve) => setTimeout(resolve, 100))`,
      path,
    )
    expect(run).toEqual({ output: '', status: 0 })
  })
})

it('a lock on an open file is taken and let go at once, again and again', async () => {
  const path = join(temporaryFolder(), 'file')
  const [fd, other] = [openSync(path, 'a'), openSync(path, 'a')]
  onTestFinished(() => [fd, other].forEach(closeSync))
  for (let round = 0; round < 3; round++) {
    expect(tryLockDescriptor(fd)).toBe(true)
    expect(tryLockDescriptor(other)).toBe(false)
    expect(isFreeForOthers(path)).toBe(false)
    expect(unlockDescriptor(fd)).toBe(true)
    expect(isFreeForOthers(path)).toBe(true)
  }
  expect(await lockDescriptor(other, 0)).toBe(true)
})

describe.each([
  ['the addon', lockDescriptor],
  ['flock(1)', lockByCommand],
])('a lock on an open file by %s', (_, lock) => {
  const openFile = (path: string) => {
    const fd = openSync(path, 'a')
    let isOpen = true
    const close = () => {
      if (isOpen) closeSync(fd)
      isOpen = false
    }
    onTestFinished(close)
    return { fd, close }
  }

  it('excludes other programs until the file is closed', async () => {
    const path = join(temporaryFolder(), 'file')
    const { fd, close } = openFile(path)
    expect(await lock(fd, 0)).toBe(true)
    expect(isFreeForOthers(path)).toBe(false)
    close()
    expect(isFreeForOthers(path)).toBe(true)
  })

  it('excludes whoever else opens the file in the same process', async () => {
    const path = join(temporaryFolder(), 'file')
    const [first, second] = [openFile(path), openFile(path)]
    expect(await lock(first.fd, 0)).toBe(true)
    expect(await lock(second.fd, 0)).toBe(false)
    expect(await lock(second.fd, 30)).toBe(false)
    second.close()
    first.close()
    await expect.poll(() => isFreeForOthers(path), PATIENTLY).toBe(true)
  })

  it('is got when whoever held it is killed', async () => {
    const path = join(temporaryFolder(), 'file')
    const holder = await holdBy('python3', ['-c', inPython, path])
    const locking = lock(openFile(path).fd, DEAD_MACHINE_MS)
    setTimeout(() => holder.kill('SIGKILL'), 50)
    expect(await locking).toBe(true)
    expect(isFreeForOthers(path)).toBe(false)
  })
})

describe('a lock on an open file where there is no addon', () => {
  /** A copy of the module that lies where no addon is near. */
  const runAlone = (env: NodeJS.ProcessEnv) => {
    const folder = temporaryFolder()
    for (const name of ['flock.ts', 'system-calls.ts']) {
      copyFileSync(fileURLToPath(new URL(`./${name}`, import.meta.url)), join(folder, name))
    }
    const script = join(folder, 'script.mts')
    writeFileSync(
      script,
      `import { openSync } from 'node:fs'
       import { lockDescriptor, openFlock } from './flock.ts'
       const path = ${JSON.stringify(join(folder, 'file'))}
       const open = () => openSync(path, 'a')
       console.log(openFlock(path), await lockDescriptor(open(), 0), await lockDescriptor(open(), 30))`,
    )
    const { stdout, stderr } = spawnSync(process.execPath, [script], { env, timeout: DEAD_MACHINE_MS })
    return `${stdout}${stderr}`
  }

  it('is taken by flock(1)', () => {
    expect(runAlone(process.env)).toBe('undefined true false\n')
  })

  it('says so where there is no flock(1) either', () => {
    expect(runAlone({ ...process.env, PATH: dirname(process.execPath) })).toContain('flock(2) cannot be had here')
  })
})

/** Runs a module in a process of its own; `open` opens the same lock file every time. A thread of it only waits. */
function runScript(body: string, path = join(temporaryFolder(), 'lock')): { output: string; status: number | null } {
  const script = join(temporaryFolder(), 'script.mjs')
  writeFileSync(
    script,
    `import { parentPort, workerData } from 'node:worker_threads'
     import { openFlock } from ${JSON.stringify(new URL('./flock.ts', import.meta.url).href)}
     const open = () => openFlock(${JSON.stringify(path)})
     if (workerData === 'waits') { const waiting = open().lock(60_000); parentPort.postMessage('waits'); await waiting }
     else { ${body} }`,
  )
  const { stdout, stderr, status } = spawnSync(process.execPath, [script], { timeout: DEAD_MACHINE_MS })
  return { output: `${stdout}${stderr}`, status }
}
