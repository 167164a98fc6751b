import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connectPostern } from '../../../src/client/connect.ts'
import { processStart } from '../../../src/kit/node/processes.ts'
import { type CommandOptions, type Outcome, postern, withoutChance } from '../../helpers/command.ts'
import { startHostProcess } from '../../helpers/hosts/host-process.ts'
import { startServe } from '../../helpers/http-server.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'

interface Remote {
  readonly url: string
  readonly token: string
  /** Another machine, as far as its files go, that has only the address and a token. */
  readonly elsewhere: CommandOptions
}

async function serveRemote(): Promise<Remote> {
  const { url, token } = await startServe({ home: fastFolder() })
  return { url, token, elsewhere: { home: fastFolder(), env: { POSTERN_URL: url, POSTERN_TOKEN: token } } }
}

/** A token that speaks for somebody, as an administrator makes it. */
async function tokenFor({ url, token }: Remote, scope: string): Promise<string> {
  const admin = await connectPostern({ url, token })
  try {
    return (await admin.tokens.create({ scope })).token
  } finally {
    await admin.close()
  }
}

/** The ids that a world has given out so far, by their kind, in order. */
type Ids = (kind: string, at?: number) => string
type Line = readonly string[] | ((ids: Ids) => readonly string[])

/** What people and agents do all day, good and bad. */
const DAY: readonly Line[] = [
  ['agent', 'add', 'quinn'],
  ['agent', 'add', 'mindy', '--json'],
  ['agent', 'add', 'justin', '--kind', 'human', '--owner'],
  ['agent', 'add', 'system'],
  ['agent', 'rename', 'mindy', 'Mindy the second'],
  ['agent', 'list'],
  ['agent', 'show', 'quinn', '--json'],
  ['agent', 'show', '..'],
  [
    'inbox',
    'push',
    '--as',
    'mindy',
    '--to',
    'quinn',
    '--priority',
    '1',
    '--type',
    'alert',
    'The build — ünd 🚪 failed',
  ],
  ['inbox', 'push', '--as', 'mindy', '--to', 'quinn', '--dedup-key', 'ci-1', '--json', 'once'],
  ['inbox', 'push', '--as', 'mindy', '--to', 'quinn', '--dedup-key', 'ci-1', '--json', 'once'],
  ['inbox', 'push', '--as', 'mindy', '--to', 'quinn', '--dedup-key', 'ci-1', 'otherwise'],
  ['inbox', 'push', '--to', 'nobody', 'x'],
  ['inbox', 'push', '--as', 'nobody', '--to', 'quinn', 'x'],
  ['inbox', 'push', 'to nobody at all'],
  ['inbox', 'push', '--as', 'justin', '--broadcast', '--wait-for', 'stored', 'to everybody'],
  ['inbox', 'push', '--as', 'justin', '--to', 'quinn', '--wait-for', 'seen', '--timeout', '0.1s', 'soon'],
  ['inbox', 'list', '--agent', 'quinn'],
  ['inbox', 'list', '--all', '--json', '--limit', '2'],
  ['inbox', 'search', 'build failed'],
  ['inbox', 'wait', '--agent', 'quinn', '--json'],
  (ids) => ['inbox', 'show', ids('msg')],
  (ids) => ['inbox', 'cancel', '--as', 'justin', ids('msg', -1)],
  ['inbox', 'drain', '--agent', 'quinn', '--limit', '1'],
  ['inbox', 'drain', '--agent', 'quinn', '--json'],
  ['inbox', 'drain', '--agent', 'quinn', '--style', 'lines'],
  ['inbox', 'drain', '--agent', 'quinn'],
  (ids) => ['inbox', 'ack', '--agent', 'quinn', ids('msg')],
  (ids) => ['trace', ids('msg')],
  (ids) => ['trace', ids('msg'), '--json'],
  ['trace', 'msg_nothing'],
  ['inbox', 'held', 'list'],
  ['inbox', 'dead', 'list', '--json'],
  ['gate', 'create', '--as', 'justin', '--agent', 'quinn', '--kind', 'human', '--reason', 'Wait for me', '--json'],
  ['gate', 'list'],
  (ids) => ['gate', 'resolve', '--agent', 'quinn', '--reason', 'I may', ids('gate')],
  (ids) => ['gate', 'resolve', '--as', 'justin', '--reason', 'It is fine', ids('gate')],
  (ids) => ['gate', 'show', ids('gate')],
  ['decision', 'create', '--agent', 'quinn', '--option', 'a=One', '--option', 'b=Two', 'Which?'],
  ['decision', 'list', '--json'],
  (ids) => ['decision', 'await', '--timeout', '0.1s', ids('dec')],
  (ids) => ['decision', 'respond', '--as', 'justin', '--select', 'c', ids('dec')],
  (ids) => ['decision', 'respond', '--as', 'justin', '--select', 'a', '--text', 'Because', ids('dec')],
  (ids) => ['decision', 'await', ids('dec')],
  (ids) => ['decision', 'show', ids('dec'), '--json'],
  ['space', 'create', 'alpha', '--name', 'Project Alpha', '--members', 'justin,quinn'],
  ['space', 'post', 'alpha', '--as', 'justin', 'Hello there'],
  ['space', 'post', 'alpha', '--as', 'mindy', 'May I?'],
  ['space', 'history', 'alpha'],
  ['plan', 'set', '--agent', 'quinn', '--name', 'weekly', '--cron', '*/0 * * * *', 'Look'],
  ['plan', 'set', '--agent', 'quinn', '--name', 'weekly', '--cron', '0 9 * * 1', '--tz', 'Europe/Berlin', 'Look'],
  ['plan', 'list', '--agent', 'quinn'],
  ['service', 'list'],
  ['inbox', 'drain', '--agent', 'quinn', '--max-chars', '2000'],
  ['agent', 'remove', 'mindy'],
  ['agent', 'list', '--json'],
]

/** Lives through the day in one world; what chance decides is left out of what is seen. */
async function live(world: CommandOptions): Promise<readonly object[]> {
  const seen: string[] = []
  const ids: Ids = (kind, at = 0) => seen.filter((id) => id.startsWith(`${kind}_`)).at(at) ?? `${kind}_none`
  const days: object[] = []
  for (const line of DAY) {
    const args = typeof line === 'function' ? line(ids) : line
    const { exit, stdout, stderr } = await warmPostern(world, ...args)
    for (const [id] of stdout.matchAll(/\b(?:msg|gate|dec)_[0-9A-Z]{26}\b/g)) if (!seen.includes(id)) seen.push(id)
    days.push({ args: args.map(plain), exit, stdout: plain(stdout), stderr: plain(stderr) })
  }
  return days
}

/** What is pushed through a server has a key, so that an answer which is lost can be asked for again. */
function plain(text: string): string {
  return withoutChance(text)
    .replace(/\b(plan|ses)_[0-9A-Z]{26}\b/g, '$1_ID')
    .replace(/"dedupKey": "http:[^"]*(?:[0-9A-Z]{26}|[0-9a-f]{64})"/g, '"dedupKey": null')
}

describe('a command that asks a server', () => {
  it('answers what it answers on a store of its own, in the same words and with the same exit code', async () => {
    verifies('S001.remote')
    const { elsewhere } = await serveRemote()
    const [near, far] = await Promise.all([live({ home: fastFolder() }), live(elsewhere)])
    expect(far).toEqual(near)
  })

  it('never answers from what lies on this machine instead', async () => {
    const { elsewhere } = await serveRemote()
    const { home } = elsewhere
    for (const world of [elsewhere, { home }]) await postern(world, 'agent', 'add', 'quinn')
    await postern(elsewhere, 'inbox', 'push', '--to', 'quinn', 'from far away')
    expect((await postern({ home }, 'inbox', 'drain', '--agent', 'quinn')).stdout).toBe('No messages.\n')
    expect((await postern(elsewhere, 'inbox', 'drain', '--agent', 'quinn')).stdout).toContain('from far away')
  })

  it('says that nobody is there, and that its token is not good', async () => {
    const remote = await serveRemote()
    const away = { ...remote.elsewhere, env: { POSTERN_URL: 'http://127.0.0.1:1', POSTERN_TOKEN: remote.token } }
    expectRefusal(await warmPostern(away, 'inbox', 'list'), 69, 'SERVER_UNAVAILABLE')
    expectRefusal(await warmPostern(away, 'inbox', 'push', '--to', 'quinn', 'x'), 69, 'SERVER_UNAVAILABLE')
    const guess = { ...remote.elsewhere, env: { POSTERN_URL: remote.url, POSTERN_TOKEN: `pst_${'x'.repeat(43)}` } }
    expectRefusal(await warmPostern(guess, 'inbox', 'list'), 4, 'NOT_AUTHENTICATED')
  })

  it('runs a command with the mail of an agent, which asks the same server', async () => {
    const { url, token, elsewhere } = await serveRemote()
    await postern(elsewhere, 'agent', 'add', 'quinn')
    await postern(elsewhere, 'inbox', 'push', '--to', 'quinn', 'wake up')
    const { home } = elsewhere
    const wake = [
      'wake',
      '--agent',
      'quinn',
      '--once',
      '--url',
      url,
      '--',
      'sh',
      '-c',
      'cat >&2; echo $POSTERN_URL >&2',
    ]
    const { exit, stderr } = await postern({ home, env: { POSTERN_TOKEN: token } }, ...wake)
    expect({ exit, isThere: stderr.includes('wake up'), isSame: stderr.includes(url) }).toEqual({
      exit: 0,
      isThere: true,
      isSame: true,
    })
    expect((await postern(elsewhere, 'inbox', 'list', '--agent', 'quinn')).stdout).toContain('Nothing')
  })
})

function expectRefusal({ exit, stderr }: Outcome, code: number, name: string): void {
  expect({ exit, name: /\[(\w+)\]\n$/.exec(stderr)?.[1] }).toEqual({ exit: code, name })
  expect(stderr.trim().split('\n')).toHaveLength(1)
}

describe('who asks a server', () => {
  it('is whomever the token names, and nobody else by saying so', async () => {
    const remote = await serveRemote()
    const { elsewhere } = remote
    for (const id of ['quinn', 'mindy']) await warmPostern(elsewhere, 'agent', 'add', id)
    await warmPostern(elsewhere, 'agent', 'add', 'justin', '--kind', 'human')
    const env = { POSTERN_URL: remote.url, POSTERN_TOKEN: await tokenFor(remote, 'agent:quinn') }
    const quinn = { home: elsewhere.home, env }
    for (const named of [
      ['--as', 'justin'],
      ['--agent', 'mindy'],
      ['--as', 'mindy', '--agent', 'quinn'],
    ]) {
      expectRefusal(await warmPostern(quinn, 'inbox', 'push', ...named, '--to', 'mindy', 'x'), 4, 'NOT_ALLOWED')
      expectRefusal(await warmPostern(quinn, 'inbox', 'drain', ...named), 4, 'NOT_ALLOWED')
    }
    const posing = { ...quinn, env: { ...env, POSTERN_AGENT: 'justin' } }
    expectRefusal(await warmPostern(posing, 'inbox', 'push', '--to', 'mindy', 'x'), 4, 'NOT_ALLOWED')

    await warmPostern(quinn, 'inbox', 'push', '--to', 'mindy', 'unnamed')
    await warmPostern(quinn, 'inbox', 'push', '--as', 'quinn', '--to', 'mindy', 'named')
    const page = await warmPosternJson<{ items: { from: object }[] }>(elsewhere, 'inbox', 'list', '--agent', 'mindy')
    const verified = { id: 'quinn', kind: 'ai', verified: true, via: 'http' }
    expect(page.items.map(({ from }) => from)).toEqual([verified, verified])

    await warmPostern(elsewhere, 'inbox', 'push', '--to', 'quinn', 'for quinn')
    expect((await warmPostern(quinn, 'inbox', 'drain')).stdout).toContain('for quinn')
    expect((await warmPostern(quinn, 'agent', 'list')).exit).toBe(0)
  })

  it('is not a person where the process belongs to a session of an AI', async () => {
    const { url, token, elsewhere } = await serveRemote()
    await warmPostern(elsewhere, 'agent', 'add', 'quinn')
    await warmPostern(elsewhere, 'agent', 'add', 'justin', '--kind', 'human')
    const host = startHostProcess(elsewhere)
    onTestFinished(() => host.stop())
    const admin = await connectPostern({ url, token })
    onTestFinished(() => admin.close())
    const pidStartedAt = processStart(host.pid) ?? expect.fail('it is not known when the process started')
    await admin.sessions.begin({ id: 'ses_1', agent: 'quinn', pid: host.pid, pidStartedAt })
    expectRefusal(await host.postern('inbox', 'push', '--as', 'justin', '--to', 'quinn', 'x'), 4, 'NOT_ALLOWED')
    await host.postern('inbox', 'push', '--to', 'justin', 'from whom?')
    const page = await warmPosternJson<{ items: { from: object }[] }>(elsewhere, 'inbox', 'list', '--agent', 'justin')
    expect(page.items.map(({ from }) => from)).toMatchObject([{ id: 'quinn', kind: 'ai', verified: false }])
  })
})

describe('the address of a server', () => {
  it('is taken from flag, environment and files, and a store that is named more exactly counts before it', async () => {
    const home = fastFolder()
    const project = join(home, 'project')
    mkdirSync(project)
    const origin = async (env: Record<string, string>, ...args: string[]) => {
      const config = await warmPosternJson<{ url: string | null; origins: { url: string } }>(
        { home, cwd: project, env },
        'config',
        '--explain',
        ...args,
      )
      return [config.url, config.origins.url]
    }
    const env = { POSTERN_URL: 'http://env:1' }
    expect(await origin({})).toEqual([null, 'default'])
    expect(await origin(env, '--url', 'http://flag:1')).toEqual(['http://flag:1', '--url'])
    expect(await origin(env)).toEqual(['http://env:1', 'POSTERN_URL'])
    expect(await origin(env, '--store', 'here.db')).toEqual([null, 'default'])
    writeFileSync(join(home, 'config.json'), '{"url":"http://home:1"}')
    expect(await origin({})).toEqual(['http://home:1', join(home, 'config.json')])
    expect(await origin({ POSTERN_STORE: 'here.db' })).toEqual([null, 'default'])
    writeFileSync(join(project, 'postern.config.json'), '{"url":"http://project:1"}')
    expect(await origin({})).toEqual(['http://home:1', join(home, 'config.json')])
    expect((await warmPostern({ home, cwd: project }, 'config', 'trust')).exit).toBe(0)
    expect(await origin({})).toEqual(['http://project:1', join(project, 'postern.config.json')])
    expectRefusal(await warmPostern({ home }, 'inbox', 'list', '--url', 'http://a', '--store', 'b'), 64, 'USAGE')
    expectRefusal(await warmPostern({ home }, 'inbox', 'list', '--url', 'ftp://a'), 64, 'VALUE_INVALID')
  })

  it('gets the token of the home only where that was made for it, and only one that nobody else can read', async () => {
    const { url, token } = await serveRemote()
    const home = fastFolder()
    const list = (...args: string[]) => warmPostern({ home }, 'agent', 'list', ...args)
    expectRefusal(await list('--url', url), 4, 'NOT_ALLOWED')
    writeFileSync(join(home, 'token'), `${token}\n`, { mode: 0o600 })
    expect((await list('--url', url)).exit).toBe(0)
    chmodSync(join(home, 'token'), 0o640)
    expectRefusal(await list('--url', url), 4, 'NOT_ALLOWED')
    chmodSync(join(home, 'token'), 0o600)
    expectRefusal(await list('--url', 'http://postern.invalid'), 4, 'NOT_ALLOWED')
    writeFileSync(join(home, 'config.json'), '{"url":"http://postern.invalid"}')
    expectRefusal(await list(), 69, 'SERVER_UNAVAILABLE')
  })

  it('is not asked by what concerns this machine alone', async () => {
    const { url, elsewhere } = await serveRemote()
    for (const line of [['migrate'], ['backup', 'copy.db'], ['init', '--host', 'generic', '--agent', 'quinn']]) {
      expectRefusal(await warmPostern(elsewhere, ...line, '--url', url), 64, 'USAGE')
      const { exit, stderr } = await warmPostern(elsewhere, ...line)
      expect({ line, exit, stderr }).toEqual({
        line,
        exit: 0,
        stderr: `postern: "${line[0]}" works on this machine alone; the server of POSTERN_URL is not asked\n`,
      })
    }
    expectRefusal(await postern(elsewhere, 'serve', '--port', '0', '--url', url), 64, 'USAGE')
    expect((await warmPostern(elsewhere, 'agent', 'list')).stdout).toContain('Nobody')
  })
})
