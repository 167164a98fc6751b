import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { EXECUTABLE, postern, posternJson } from '../helpers/command.ts'
import { startServe } from '../helpers/http-server.ts'
import { fastFolder } from '../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../helpers/warm-command.ts'

interface Page {
  readonly items: readonly { readonly type: string; readonly subject: string; readonly at: string }[]
  readonly cursor: string
}

function follow(home: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [EXECUTABLE, 'events', '--follow', ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

it('tells what has happened, on a line each or as a page, and goes on after a cursor', async () => {
  const home = fastFolder()
  await postern({ home }, 'agent', 'add', 'quinn')
  const { id } = await posternJson<{ id: string }>(
    { home },
    'inbox',
    'push',
    '--to',
    'quinn',
    '--subject',
    'Lunch',
    'hi',
  )
  const { stdout } = await postern({ home }, 'events')
  expect(stdout).toMatch(
    new RegExp(`^\\S+Z {2}agent\\.added {2}quinn .*\\n\\S+Z {2}message\\.created {2}${id} .*Lunch\\n$`),
  )
  const page = await posternJson<Page>({ home }, 'events', '--types', 'message.*')
  expect(page).toMatchObject({ items: [{ type: 'message.created', subject: id }], hasMore: false, hasGap: false })
  expect(page.items[0]?.at).toMatch(/^\d{4}-.*Z$/)
  await postern({ home }, 'agent', 'add', 'ada')
  const next = await posternJson<Page>({ home }, 'events', '--after', page.cursor)
  expect(next.items.map(({ subject }) => subject)).toEqual(['ada'])
  expect((await postern({ home }, 'events', '--types', 'gate.exploded')).stderr).toContain('gate.opened')
  expect((await postern({ home }, 'events', '--after', 'yesterday')).exit).toBe(5)
})

it('follows what other processes do, each event a line of JSON, until nobody reads any more', async () => {
  const home = fastFolder()
  await warmPostern({ home }, 'agent', 'add', 'quinn')
  const child = follow(home, '--latest', '1', '--types', 'message.created,agent.added', '--json')
  const lines = createInterface({ input: child.stdout })
  const next = async () => JSON.parse((await once(lines, 'line'))[0])
  expect(await next()).toMatchObject({ type: 'agent.added', subject: 'quinn' })
  for (const content of ['one', 'two']) {
    const told = next()
    const { id } = await warmPosternJson<{ id: string }>({ home }, 'inbox', 'push', '--to', 'quinn', content)
    expect(await told).toMatchObject({ type: 'message.created', subject: id })
  }
  const gone = once(child, 'exit')
  child.stdout.destroy()
  await warmPostern({ home }, 'inbox', 'push', '--to', 'quinn', 'three')
  expect(await gone).toEqual([0, null])
})

it('goes on after the server was away, and misses nothing', async () => {
  const home = fastFolder()
  await warmPostern({ home }, 'agent', 'add', 'quinn')
  const first = await startServe({ home })
  const { port } = new URL(first.url)
  const child = follow(home, '--url', first.url, '--latest', '1', '--types', 'message.created,agent.added', '--json')
  const lines = createInterface({ input: child.stdout })
  const next = async () => JSON.parse((await once(lines, 'line'))[0])
  expect(await next()).toMatchObject({ type: 'agent.added', subject: 'quinn' })
  await first.stop()
  const told = next()
  const { id } = await warmPosternJson<{ id: string }>({ home }, 'inbox', 'push', '--to', 'quinn', 'meanwhile')
  await startServe({ home, port })
  expect(await told).toMatchObject({ type: 'message.created', subject: id })
})
