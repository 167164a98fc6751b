import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { GROUPS } from '../../src/host/config/schema.ts'
import { type CommandOptions, type Outcome, postern, posternJson } from '../helpers/command.ts'
import { fastFolder } from '../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../helpers/warm-command.ts'

async function withQuinn(): Promise<CommandOptions> {
  const options = { home: fastFolder() }
  await warmPostern(options, 'agent', 'add', 'quinn')
  return options
}

/** One line on stderr that names its code, and nothing that only a programmer could read. */
function expectClearError({ stderr }: Outcome, code: string): void {
  expect(stderr).toMatch(new RegExp(`^postern: .+ \\[${code}\\]\\n$`))
  expect(stderr).not.toMatch(/\n\s+at /)
}

describe('bad input', () => {
  const CASES: readonly [rule: string, args: readonly string[], exit: number, code: string][] = [
    ['an unknown agent', ['inbox', 'push', '--to', 'nobody', 'x'], 5, 'AGENT_NOT_FOUND'],
    ['empty content', ['inbox', 'push', '--to', 'quinn', ''], 64, 'CONTENT_EMPTY'],
    ['only blanks', ['inbox', 'push', '--to', 'quinn', ' \n '], 64, 'CONTENT_EMPTY'],
    ['a priority of 5', ['inbox', 'push', '--to', 'quinn', '--priority', '5', 'x'], 64, 'PRIORITY_INVALID'],
    ['a negative priority', ['inbox', 'push', '--to', 'quinn', '--priority=-1', 'x'], 64, 'PRIORITY_INVALID'],
    ['a TTL that is no duration', ['inbox', 'push', '--to', 'quinn', '--ttl', 'soon', 'x'], 64, 'DURATION_INVALID'],
    ['a TTL of nothing', ['inbox', 'push', '--to', 'quinn', '--ttl', '0s', 'x'], 64, 'DURATION_INVALID'],
    ['a TTL of centuries', ['inbox', 'push', '--to', 'quinn', '--ttl', '99999d', 'x'], 64, 'DURATION_INVALID'],
    ['an id that climbs', ['agent', 'add', '../x'], 64, 'AGENT_ID_INVALID'],
    ['an id that is a star', ['agent', 'add', '*'], 64, 'AGENT_ID_INVALID'],
    ['an id that is an arrow', ['inbox', 'push', '--to', '>', 'x'], 64, 'AGENT_ID_INVALID'],
    ['an id of 300 characters', ['agent', 'add', 'a'.repeat(300)], 64, 'AGENT_ID_INVALID'],
    ['a reserved id', ['agent', 'add', 'system'], 64, 'AGENT_ID_RESERVED'],
    ['a lookalike', ['agent', 'add', 'qu1nn', '--name', 'Quinn'], 6, 'AGENT_CONFUSABLE'],
    ['an unknown message', ['trace', 'msg_nothing'], 5, 'MESSAGE_NOT_FOUND'],
    [
      'a hostile session id',
      ['inbox', 'drain', '--agent', 'quinn', '--session', '../../x', '--limit', '1'],
      64,
      'SESSION_INVALID',
    ],
    ['an unknown option', ['inbox', 'push', '--too', 'quinn', 'x'], 64, 'USAGE'],
    ['an unknown command', ['inbox', 'pusj'], 64, 'USAGE'],
    ['a missing operand', ['trace'], 64, 'USAGE'],
    ['payload that is not JSON', ['inbox', 'push', '--to', 'quinn', '--payload', '{', 'x'], 64, 'USAGE'],
    ['a reason given twice', ['gate', 'create', '--agent', 'quinn', '--reason', 'one', 'two'], 64, 'USAGE'],
    ['room for JSON', ['inbox', 'drain', '--agent', 'quinn', '--json', '--max-chars', '300'], 64, 'USAGE'],
    ['tokens for JSON', ['inbox', 'drain', '--agent', 'quinn', '--json', '--max-tokens', '300'], 64, 'USAGE'],
    [
      'a day that its month does not have',
      ['inbox', 'snooze', '--agent', 'quinn', '--until', '2027-02-30T10:00Z', 'msg_x'],
      64,
      'VALUE_INVALID',
    ],
    [
      'a moment in words',
      ['inbox', 'snooze', '--agent', 'quinn', '--until', 'Tuesday 2027-01-05 10:00 +0100', 'msg_x'],
      64,
      'VALUE_INVALID',
    ],
    ['a home without a name', ['inbox', 'list', '--home', ''], 64, 'USAGE'],
    ['a project without a name', ['handoff', 'list', '--project', ''], 64, 'USAGE'],
    ['a backup without a name', ['backup', ''], 64, 'USAGE'],
    ['a store without a name', ['inbox', 'list', '--store', ''], 64, 'USAGE'],
    ['a store of an unknown kind', ['inbox', 'list', '--store', 'mysql://x'], 64, 'STORE_URL_INVALID'],
    ['a home that cannot be made', ['agent', 'list', '--home', '/proc/x'], 69, 'STORE_UNAVAILABLE'],
    ['a server that is not there', ['inbox', 'list', '--store', 'postgres://127.0.0.1:1/x'], 69, 'STORE_UNAVAILABLE'],
  ]

  it.each(CASES)('%s is refused with its code and exit code, and stores nothing', async (_, args, exit, code) => {
    const options = await withQuinn()
    if (args.includes('--session')) await warmPostern(options, 'inbox', 'push', '--to', 'quinn', 'x')
    const before = await warmPosternJson<{ items: unknown[] }>(options, 'inbox', 'list', '--all')
    const outcome = await warmPostern(options, ...args)
    expect(outcome.exit).toBe(exit)
    expectClearError(outcome, code)
    expect(await warmPosternJson(options, 'inbox', 'list', '--all')).toEqual(before)
  })

  it('content over 64 KB is refused, 64 KB is taken', async () => {
    const options = await withQuinn()
    const push = (bytes: number) =>
      warmPostern({ ...options, stdin: 'x'.repeat(bytes) }, 'inbox', 'push', '--to', 'quinn', '-')
    expect((await push(64 * 1024)).exit).toBe(0)
    const outcome = await push(64 * 1024 + 1)
    expect(outcome.exit).toBe(64)
    expectClearError(outcome, 'CONTENT_TOO_LARGE')
  })

  it('an error is also JSON where JSON was asked for', async () => {
    const options = await withQuinn()
    const { exit, stdout } = await postern(options, 'inbox', 'push', '--to', 'quin', 'x', '--json')
    expect(exit).toBe(5)
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'AGENT_NOT_FOUND', message: expect.stringContaining('Did you mean quinn?') },
    })
  })
})

describe('who is speaking', () => {
  it('is nobody in particular without a name, and never verified from a terminal', async () => {
    const options = await withQuinn()
    await postern(options, 'agent', 'add', 'justin', '--kind', 'human')
    await postern(options, 'inbox', 'push', '--to', 'quinn', 'a')
    await postern(options, 'inbox', 'push', '--to', 'quinn', '--as', 'justin', 'b')
    await postern({ ...options, env: { POSTERN_AGENT: 'quinn' } }, 'inbox', 'push', 'c')
    const { messages } = await posternJson<{ messages: { from: unknown }[] }>(
      options,
      'inbox',
      'drain',
      '--agent',
      'quinn',
    )
    expect(messages.map(({ from }) => from)).toEqual([
      { id: 'local', kind: 'local', verified: false, via: 'cli' },
      { id: 'justin', kind: 'human', verified: false, via: 'cli' },
      { id: 'quinn', kind: 'ai', verified: false, via: 'cli' },
    ])
  })
})

describe('the configuration', () => {
  it('says where each value came from, and takes no store from a project that is not trusted', async () => {
    const home = fastFolder()
    const project = join(home, 'project')
    mkdirSync(project)
    writeFileSync(
      join(project, 'postern.config.json'),
      JSON.stringify({ store: './here.db', limits: { drainMessages: 5 } }),
    )
    const options = { home, cwd: project }
    const explain = () =>
      warmPosternJson<{ store: string; limits: { drainMessages: number }; origins: Record<string, string> }>(
        options,
        'config',
        '--explain',
      )

    const wary = await explain()
    expect(wary.store).toBe(join(home, 'postern.db'))
    expect(wary.limits.drainMessages).toBe(5)
    expect(wary.origins['limits.drainMessages']).toBe(join(project, 'postern.config.json'))
    await warmPostern(options, 'config', 'trust')
    expect((await explain()).store).toBe(join(project, 'here.db'))
    writeFileSync(join(project, 'postern.config.json'), JSON.stringify({ store: './other.db' }))
    expect((await explain()).store).toBe(join(home, 'postern.db'))
  })

  it('lists every setting, with the origin of each', async () => {
    const home = fastFolder()
    writeFileSync(join(home, 'config.json'), JSON.stringify({ handoff: { maxTokens: 900 } }))
    const settings = GROUPS.flatMap(({ name, settings: rows }) => Object.keys(rows).map((key) => `${name}.${key}`))
    const { stdout } = await warmPostern({ home }, 'config')
    for (const name of settings) expect(stdout).toContain(name)
    const { origins, handoff } = await warmPosternJson<{
      origins: Record<string, string>
      handoff: { maxTokens: number }
    }>({ home }, 'config', '--explain')
    expect(Object.keys(origins)).toEqual(expect.arrayContaining(settings))
    expect(handoff.maxTokens).toBe(900)
    expect(origins['handoff.maxTokens']).toBe(join(home, 'config.json'))
    expect(origins['ledger.network']).toBe('default')
  })

  it('names the line that is wrong', async () => {
    const home = fastFolder()
    writeFileSync(join(home, 'config.json'), '{"limits":{"hops":-1}}')
    const outcome = await postern({ home }, 'inbox', 'list')
    expect(outcome.exit).toBe(64)
    expectClearError(outcome, 'CONFIG_INVALID')
  })
})

describe('help', () => {
  it('is there for every command, and completions name every one of them', async () => {
    const options = { home: fastFolder() }
    for (const { path } of COMMANDS) {
      const { exit, stdout } = await warmPostern(options, ...path.split(' '), '--help')
      expect(exit, path).toBe(0)
      expect(stdout, path).toContain(`Usage: postern ${path}`)
    }
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { stdout } = await warmPostern(options, 'completion', shell)
      for (const { path } of COMMANDS) expect(stdout, `${shell} ${path}`).toContain(path.split(' ').at(-1))
    }
  })

  it('lists what begins with the words that were typed', async () => {
    const options = { home: fastFolder() }
    for (const words of [
      ['ledger', 'topic'],
      ['ledger', 'topic', '--help'],
      ['help', 'ledger', 'topic'],
    ]) {
      const { exit, stdout } = await postern(options, ...words)
      expect({ words, exit }).toEqual({ words, exit: 0 })
      expect(stdout).toContain('ledger topic create')
      expect(stdout).not.toContain('ledger topics')
    }
  })

  it('suggests what was probably meant', async () => {
    const options = { home: fastFolder() }
    expect((await warmPostern(options, 'inbox', 'pusj')).stderr).toContain('postern inbox push')
    expect((await warmPostern(options, 'inbox', 'push', '--priorty', '1', 'x')).stderr).toContain('--priority')
  })

  it('the tour runs by itself and leaves nothing behind', async () => {
    const home = fastFolder()
    const { exit, stdout } = await warmPostern({ home }, 'tour')
    expect(exit).toBe(0)
    expect(stdout).toContain('Shown once.')
    expect(stdout).toContain('npx postern agent add quinn')
    expect(await warmPosternJson({ home }, 'agent', 'list')).toMatchObject({ items: [] })
  })
})
