import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { EXECUTABLE } from '../../helpers/command.ts'
import { startServe } from '../../helpers/http-server.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

const P = ['--project', 'p', '--task', 't'] as const

function watch(home: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [EXECUTABLE, 'bus', 'watch', ...P, '--json', ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  const waiting: ((line: string) => void)[] = []
  createInterface({ input: child.stdout }).on('line', (line) => {
    const next = waiting.shift()
    if (next) next(line)
    else lines.push(line)
  })
  const line = async () => lines.shift() ?? new Promise<string>((resolve) => waiting.push(resolve))
  return { child, next: async () => JSON.parse(await line()).body as string }
}

const post = (home: string, body: string) => warmPosternJson<{ msg_id: string }>({ home }, 'bus', 'post', ...P, body)

it('tells what comes, from the end or from before it, until nobody reads any more', async () => {
  verifies('S002.watch')
  const home = fastFolder()
  const { msg_id } = await post(home, 'one')
  await post(home, 'two')
  const fromEntry = watch(home, '--after', msg_id)
  const fromTail = watch(home, '--tail', '1')
  expect(await fromEntry.next()).toBe('two')
  expect(await fromTail.next()).toBe('two')
  await post(home, 'three')
  expect(await fromEntry.next()).toBe('three')
  expect(await fromTail.next()).toBe('three')
  const gone = once(fromTail.child, 'exit')
  fromTail.child.stdout.destroy()
  await post(home, 'four')
  expect(await gone).toEqual([0, null])
})

it('waits for a bus that is not there yet, and says so', async () => {
  verifies('S002.watch')
  const home = fastFolder()
  const { child, next } = watch(home)
  const [notice] = await once(child.stderr, 'data')
  expect(String(notice)).toBe('There is no such bus yet; waiting for it.\n')
  await post(home, 'the first')
  expect(await next()).toBe('the first')
})

it('goes on over rotations, and an editor that rewrites the file', async () => {
  verifies('S002.watch')
  const home = fastFolder()
  const file = join(home, 'run-agent/p/t/TASK-MESSAGE-BUS.md')
  await post(home, 'one')
  const { next } = watch(home, '--tail', '0')
  expect(await next()).toBe('one')
  await warmPostern({ home }, 'bus', 'rotate', ...P)
  await post(home, 'two')
  expect(await next()).toBe('two')
  writeFileSync(`${file}.new`, readFileSync(file))
  renameSync(`${file}.new`, file)
  await post(home, 'three')
  expect(await next()).toBe('three')
})

it('goes on after the server was away, and misses nothing', async () => {
  verifies('S002.watch')
  const home = fastFolder()
  await post(home, 'one')
  const first = await startServe({ home })
  const { next } = watch(home, '--url', first.url, '--tail', '1')
  expect(await next()).toBe('one')
  await first.stop('SIGKILL')
  await post(home, 'two')
  await post(home, 'three')
  await startServe({ home, port: new URL(first.url).port })
  expect([await next(), await next()]).toEqual(['two', 'three'])
})
