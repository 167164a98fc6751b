import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { watchLock } from '../../src/hooks/watch/place.ts'
import { type ScriptedHost, startScriptedHost } from '../helpers/scripted-host.ts'
import { temporaryFolder } from '../helpers/temp.ts'

const SOON_MS = 20_000
const WHILE_MS = 2_500

/** A session of Codex that has begun, and a program on its path that writes down how it was called. */
async function codexHost(exit = 0): Promise<{ host: ScriptedHost; calls: () => readonly string[] }> {
  const folder = temporaryFolder()
  const [bin, log] = [join(folder, 'bin'), join(folder, 'calls')]
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'codex'),
    `#!/bin/sh\nprintf '%s\\n' "$*" >>'${log}'\necho 'no such thread' >&2\nexit ${exit}\n`,
  )
  chmodSync(join(bin, 'codex'), 0o755)
  const host = await startScriptedHost({ host: 'codex', path: `${bin}${delimiter}${process.env['PATH']}` })
  return { host, calls: () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : []) }
}

function watcherOf(home: string): number | undefined {
  const lock = statSync(watchLock(home, 'session-1'), { throwIfNoEntry: false })
  const line = readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .find((each) => lock && each.includes('FLOCK') && each.includes(`:${lock.ino} `))
  return line === undefined ? undefined : Number(line.trim().split(/\s+/)[4])
}

async function watcher(home: string): Promise<number> {
  await expect.poll(() => watcherOf(home), { timeout: SOON_MS }).toBeDefined()
  return watcherOf(home) ?? 0
}

const QUEUED = 'queue --thread session-1 --message Postern: 1 message waits for quinn and is shown with this prompt.'

it('a session of Codex is woken through its queue, each time that it rests, and watched until it ends', async () => {
  const { host, calls } = await codexHost()
  expect(await host.fire('SessionStart')).toMatchObject({ exit: 0 })
  const pid = await watcher(host.home)
  await host.push('first')
  await expect.poll(calls, { timeout: SOON_MS }).toEqual([QUEUED])
  expect((await host.fire('UserPromptSubmit')).stdout).toContain('first')

  await host.push('while it works')
  expect((await host.fire('Stop')).stdout).toContain('while it works')
  await host.fire('Stop', { stop_hook_active: true })
  await host.push('second')
  await expect.poll(calls, { timeout: SOON_MS }).toEqual([QUEUED, QUEUED])
  expect((await host.fire('UserPromptSubmit')).stdout).toContain('second')
  expect(watcherOf(host.home)).toBe(pid)

  await host.fire('SessionEnd', { reason: 'exit' })
  await expect.poll(() => watcherOf(host.home), { timeout: SOON_MS }).toBeUndefined()
})

it('the watcher keeps nothing of the hook open, and outlives it but not its host', async () => {
  const { host } = await codexHost()
  // That it has ended means that its output was closed too.
  expect(await host.fire('SessionStart')).toMatchObject({ exit: 0 })
  const pid = await watcher(host.home)
  for (const fd of ['0', '1', '2']) expect(statSync(`/proc/${pid}/fd/${fd}`).rdev, fd).toBe(statSync('/dev/null').rdev)
  host.kill()
  await expect.poll(() => watcherOf(host.home), { timeout: SOON_MS }).toBeUndefined()
})

it('a queue that fails is not asked again at once, and doctor says what it said', async () => {
  const { host, calls } = await codexHost(1)
  await host.fire('SessionStart')
  await watcher(host.home)
  await host.push('first')
  await expect.poll(calls, { timeout: SOON_MS }).toEqual([QUEUED])
  await expect.poll(() => existsSync(join(host.home, 'hook-errors.log')), { timeout: SOON_MS }).toBe(true)
  expect(readFileSync(join(host.home, 'hook-errors.log'), 'utf8')).toContain('no such thread')
  await new Promise((resolve) => setTimeout(resolve, WHILE_MS))
  expect(calls()).toEqual([QUEUED])
})
