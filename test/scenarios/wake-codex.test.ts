import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, it } from 'vitest'
import { watchLock } from '../../src/hooks/watch/place.ts'
import { PATIENTLY } from '../helpers/patience.ts'
import { type HostOptions, type ScriptedHost, startScriptedHost } from '../helpers/scripted-host.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { FULL } from '../helpers/tier.ts'

/** A session of Codex that has begun, and a program on its path that writes down how it was called. */
async function codexHost(
  exit = 0,
  options: Pick<HostOptions, 'program'> = {},
): Promise<{ host: ScriptedHost; calls: () => readonly string[] }> {
  const folder = temporaryFolder()
  const [bin, log] = [join(folder, 'bin'), join(folder, 'calls')]
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'codex'),
    `#!/bin/sh\nprintf '%s\\n' "$*" >>'${log}'\necho 'no such thread' >&2\nexit ${exit}\n`,
  )
  chmodSync(join(bin, 'codex'), 0o755)
  const host = await startScriptedHost({ ...options, host: 'codex', path: `${bin}${delimiter}${process.env['PATH']}` })
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
  await expect.poll(() => watcherOf(home), PATIENTLY).toBeDefined()
  return watcherOf(home) ?? 0
}

const QUEUED = 'queue --thread session-1 --message Postern: 1 message waits for quinn and is shown with this prompt.'

it('a session of Codex is woken through its queue, each time that it rests, and watched until it ends', async () => {
  const { host, calls } = await codexHost()
  expect(await host.fire('SessionStart')).toMatchObject({ exit: 0 })
  const pid = await watcher(host.home)
  await host.push('first')
  await expect.poll(calls, PATIENTLY).toEqual([QUEUED])
  expect((await host.fire('UserPromptSubmit')).stdout).toContain('first')

  await host.push('while it works')
  expect((await host.fire('Stop')).stdout).toContain('while it works')
  await host.fire('Stop', { stop_hook_active: true })
  await host.push('second')
  await expect.poll(calls, PATIENTLY).toEqual([QUEUED, QUEUED])
  expect((await host.fire('UserPromptSubmit')).stdout).toContain('second')
  expect(watcherOf(host.home)).toBe(pid)

  await host.fire('SessionEnd', { reason: 'exit' })
  await expect.poll(() => watcherOf(host.home), PATIENTLY).toBeUndefined()
})

it('the watcher keeps nothing of the hook open, and outlives it but not its host', FULL, async () => {
  const { host } = await codexHost()
  // That it has ended means that its output was closed too.
  expect(await host.fire('SessionStart')).toMatchObject({ exit: 0 })
  const pid = await watcher(host.home)
  for (const fd of ['0', '1', '2']) expect(statSync(`/proc/${pid}/fd/${fd}`).rdev, fd).toBe(statSync('/dev/null').rdev)
  host.kill()
  await expect.poll(() => watcherOf(host.home), PATIENTLY).toBeUndefined()
})

it('a watcher whose host is not known by its name ends with whatever has run the hook', async () => {
  const { host } = await codexHost(0, { program: 'somebodys-launcher' })
  await host.fire('SessionStart')
  await watcher(host.home)
  host.kill()
  await expect.poll(() => watcherOf(host.home), PATIENTLY).toBeUndefined()
})

it('logs why a queue failed', async () => {
  const { host, calls } = await codexHost(1)
  await host.fire('SessionStart')
  await watcher(host.home)
  await host.push('first')
  await expect.poll(calls, PATIENTLY).toEqual([QUEUED])
  const log = join(host.home, 'hook-errors.log')
  await expect.poll(() => (existsSync(log) ? readFileSync(log, 'utf8') : ''), PATIENTLY).toContain('no such thread')
})
