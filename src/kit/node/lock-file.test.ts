import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { readLockFile, takeLockFile } from './lock-file.ts'

const place = () => join(temporaryFolder(), 'lock')

it('is held by one at a time, and says what its holder wrote', async () => {
  const path = place()
  const first = await takeLockFile(path)
  first?.write('process one, and more')
  first?.write('process one')
  expect(await takeLockFile(path)).toBeUndefined()
  expect(readLockFile(path)).toBe('process one')
  first?.close()
  const second = await takeLockFile(path)
  expect(second?.read()).toBe('process one')
  second?.close()
})

it('is refused to other users of the machine', async () => {
  const path = place()
  const lock = await takeLockFile(path)
  onTestFinished(() => lock?.close())
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('can be taken again when its holder has taken the file away, and after that by one only', async () => {
  const path = place()
  const first = await takeLockFile(path)
  first?.remove()
  expect(existsSync(path)).toBe(false)
  const second = await takeLockFile(path)
  onTestFinished(() => second?.close())
  first?.remove()
  expect(existsSync(path)).toBe(true)
  expect(await takeLockFile(path)).toBeUndefined()
})

it('counts for the file that has its name: one that was moved away locks nobody out', async () => {
  const path = place()
  const first = await takeLockFile(path)
  onTestFinished(() => first?.close())
  renameSync(path, `${path}.old`)
  writeFileSync(path, '')
  const second = await takeLockFile(path)
  expect(second).toBeDefined()
  second?.close()
})

it('goes with its process, however that ends', async () => {
  const path = place()
  const holder = spawn('flock', ['-x', path, 'sh', '-c', 'echo held; exec sleep 600'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  await once(holder.stdout, 'data')
  expect(await takeLockFile(path)).toBeUndefined()
  const gone = once(holder, 'exit')
  process.kill(-(holder.pid ?? 0), 'SIGKILL')
  await gone
  await expect.poll(async () => (await takeLockFile(path)) !== undefined).toBe(true)
})
