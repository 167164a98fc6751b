import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EXECUTABLE, postern, posternJson } from '../../helpers/command.ts'
import { startServe } from '../../helpers/http-server.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

async function homeWithPeople(): Promise<{ readonly home: string }> {
  const home = fastFolder()
  await warmPostern({ home }, 'agent', 'add', 'justin', '--kind', 'human', '--owner')
  await warmPostern({ home }, 'agent', 'add', 'quinn')
  return { home }
}

interface Status {
  readonly for: string | null
  readonly pending: number
  readonly messages: readonly { readonly id: string }[]
  readonly decisions: readonly { readonly question: string }[]
  readonly agents: readonly { readonly id: string; readonly doing: string }[]
}

describe('postern status', () => {
  it('says what waits for the one person there is, and what each agent does', async () => {
    verifies('page.terminal')
    const at = await homeWithPeople()
    await postern(at, 'inbox', 'push', '--to', 'justin', '--as', 'quinn', 'look at \u001b[31mthis')
    await postern(at, 'decision', 'create', '--as', 'quinn', 'Deploy now?', '--option', 'yes=Yes', '--option', 'no=No')
    const found = await posternJson<Status>(at, 'status')
    expect(found).toMatchObject({ for: 'justin', decisions: [{ question: 'Deploy now?' }] })
    expect(found.pending).toBeGreaterThanOrEqual(1)
    expect(found.agents.map(({ id, doing }) => `${id} ${doing}`).sort()).toEqual(['justin person', 'quinn away'])
    const { stdout } = await postern(at, 'status')
    expect(stdout).toMatch(/^For justin: \d messages?, 1 decision, 1 open gate\.\n/)
    expect(stdout).toContain('Deploy now?')
    expect(stdout).not.toContain('\u001b')
    // Looking takes nothing.
    expect((await posternJson<Status>(at, 'status')).pending).toBe(found.pending)
  })

  it('is of use to an agent, and where nobody is registered', async () => {
    const at = await homeWithPeople()
    await warmPostern(at, 'inbox', 'push', '--to', 'quinn', 'work')
    expect(await warmPosternJson<Status>(at, 'status', '--as', 'quinn')).toMatchObject({ for: 'quinn', pending: 1 })
    const { stdout, exit } = await warmPostern({ home: fastFolder() }, 'status')
    expect([exit, stdout]).toEqual([0, expect.stringContaining('postern demo')])
  })

  it('asks a server as well', async () => {
    const home = fastFolder()
    const { url, token } = await startServe({ home })
    await warmPostern({ home }, 'agent', 'add', 'justin', '--kind', 'human')
    const elsewhere = { home: fastFolder(), env: { POSTERN_URL: url, POSTERN_TOKEN: token } }
    expect(await warmPosternJson<Status>(elsewhere, 'status')).toMatchObject({ for: 'justin', pending: 0 })
  })
})

describe('postern watch', () => {
  const follow = (home: string, ...words: readonly string[]) => {
    const child = spawn(process.execPath, [EXECUTABLE, 'watch', ...words], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null) await once(child, 'exit')
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => String((await lines.next()).value)
    return Object.assign(next, { signal: (name: NodeJS.Signals) => child.kill(name) })
  }

  it('tells what happens in words, and nothing that a terminal would obey', async () => {
    verifies('page.terminal')
    const at = await homeWithPeople()
    const next = follow(at.home)
    expect(await next()).toMatch(/^\d\d:\d\d:\d\d {2}agent\.added +justin: added$/)
    expect(await next()).toContain('quinn: added')
    await warmPostern(
      at,
      'inbox',
      'push',
      '--to',
      'quinn',
      '--subject',
      'red \u001b[31malert',
      'body',
      '--as',
      'justin',
    )
    const line = await next()
    expect(line).toContain('justin → quinn: "red')
    expect(line).not.toContain('\u001b')
    await warmPostern(at, 'inbox', 'drain', '--agent', 'quinn')
    expect(await next()).toContain('quinn has seen msg_')
  })

  it('says that events are missing', async () => {
    verifies('page.terminal')
    for (const [words, gap] of [
      [[], '(earlier events are not kept any more)'],
      [['--json'], expect.stringContaining('"type":"gap"')],
    ] as const) {
      const at = await homeWithPeople()
      const next = follow(at.home, ...words)
      while (!(await next()).includes('quinn'));
      next.signal('SIGSTOP')
      for (const text of ['forgotten', 'kept']) await warmPostern(at, 'inbox', 'push', '--to', 'justin', text)
      const store = new DatabaseSync(join(at.home, 'postern.db'))
      store.exec('DELETE FROM events WHERE seq < (SELECT max(seq) FROM events)')
      store.close()
      next.signal('SIGCONT')
      expect(await next()).toEqual(gap)
      expect(await next()).toContain('message.created')
    }
  })

  it('tells each event as JSON, of one agent alone', async () => {
    const at = await homeWithPeople()
    const next = follow(at.home, '--json', '--agent', 'quinn')
    await next()
    await next()
    await warmPostern(at, 'inbox', 'push', '--to', 'justin', 'not yours')
    await warmPostern(at, 'inbox', 'push', '--to', 'quinn', 'yours')
    expect(JSON.parse(await next())).toMatchObject({ type: 'message.created', data: { to: ['quinn'] } })
  })
})
