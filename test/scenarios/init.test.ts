import { spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { installLauncher } from '../../src/hooks/install/install-launcher.ts'
import { BOOT_ID_FILE, formatQuiet } from '../../src/model/quiet.ts'
import { EXECUTABLE, type Outcome, postern } from '../helpers/command.ts'
import { NEEDS_BOOT_ID } from '../helpers/quiet.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { warmPostern } from '../helpers/warm-command.ts'

/** A user's home, a project in it, and the commands that are typed there. */
function makePlace(name = 'me', command = warmPostern) {
  const home = join(temporaryFolder(), name)
  const project = join(home, 'work', 'project')
  mkdirSync(join(project, '.git'), { recursive: true })
  mkdirSync(join(project, 'src'))
  const own = join(home, '.postern')
  const env = { HOME: home, POSTERN_HOME: '' }
  return {
    home,
    project,
    own,
    run: (args: readonly string[], more: Readonly<Record<string, string>> = {}): Promise<Outcome> =>
      command({ home, cwd: join(project, 'src'), env: { ...env, ...more } }, ...args),
  }
}

type Place = ReturnType<typeof makePlace>

async function answerOf<T>({ run }: Place, ...args: readonly string[]): Promise<T> {
  const { exit, stdout, stderr } = await run([...args, '--json'])
  expect(exit, stderr).toBe(0)
  return JSON.parse(stdout)
}

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

/** Every file of a folder with its content, its mode, and the folders. */
function snapshot(folder: string, skip: readonly string[] = []): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !skip.includes(name))
  return Object.fromEntries(
    entries.flatMap((entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return [[path, 'folder'], ...Object.entries(snapshot(path))]
      const mode = (lstatSync(path).mode & 0o7777).toString(8)
      return [[path, entry.isSymbolicLink() ? 'link' : `${mode} ${readFileSync(path, 'latin1')}`]]
    }),
  )
}

const HOSTS = [
  [
    'claude-code',
    '.claude/settings.json',
    ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolBatch', 'Stop', 'PreCompact', 'SessionEnd'],
  ],
  [
    'codex',
    '.codex/hooks.json',
    ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PreCompact', 'Stop', 'SessionEnd'],
  ],
  [
    'gemini',
    '.gemini/settings.json',
    ['SessionStart', 'BeforeAgent', 'BeforeTool', 'AfterTool', 'AfterAgent', 'SessionEnd'],
  ],
  [
    'cursor',
    '.cursor/hooks.json',
    ['sessionStart', 'beforeSubmitPrompt', 'preToolUse', 'postToolUse', 'stop', 'sessionEnd'],
  ],
] as const
const CASES = HOSTS.flatMap((host) =>
  (['user', 'project'] as const).map((scope) => [host[0], scope, host[1], host[2]] as const),
)

interface Handler {
  readonly command: string
  readonly timeout: number
  readonly asyncRewake?: boolean
}

/** The handlers of each event, in groups or not. */
function handlersIn(path: string): Readonly<Record<string, readonly Handler[]>> {
  const { hooks } = JSON.parse(readFileSync(path, 'utf8')) as {
    hooks: Record<string, ({ hooks?: Handler[] } & Handler)[]>
  }
  return Object.fromEntries(
    Object.entries(hooks).map(([event, entries]) => [event, entries.flatMap((entry) => entry.hooks ?? [entry])]),
  )
}

/** A repository's own hooks, written by hand. */
const FOREIGN = `\uFEFF// Ours, do not touch.
{\r
\t"model" : "x",   // chosen
\t"hooks": {\r
\t\t"Stop": [ { "hooks": [ { "type": "command", "command": "./lint.sh" } ] } ], /* last */
\t\t"stop": [{"command": "./lint.sh"}]
\t},
\t"version": 1,
\t"permissions": { "allow": [ "Bash(ls)" ], },
}`

describe('postern init', () => {
  it.each(CASES)('puts its hooks into %s for a %s and takes them out again', async (host, scope, file, events) => {
    const place = makePlace()
    const path = join(scope === 'user' ? place.home : place.project, file)
    const before = snapshot(place.home, ['.postern'])
    const words = ['init', '--host', host, '--scope', scope]

    const installed = await place.run([...words, '--agent', 'quinn'])
    expect(installed).toMatchObject({ exit: 0, stderr: '' })
    expect(installed.stdout).toContain(`New file ${path}\n+ {\n`)
    expect(installed.stdout).toContain(`${host} calls Postern for quinn now: ${path}`)
    const handlers = handlersIn(path)
    expect(Object.keys(handlers)).toEqual(events)
    const usual = scope === 'user' ? '$HOME/.postern/bin/hook' : '"$HOME/.postern/bin/hook"'
    const launcher = host === 'cursor' ? join(place.own, 'bin', 'hook') : usual
    for (const [event, [first]] of Object.entries(handlers)) {
      const isFull = /start|stop|AfterAgent|compact|end$/i.test(event)
      expect(first?.command, event).toBe(`${launcher} ${host} quinn${isFull ? ' full' : ''}`)
      expect(first?.timeout).toBe(host === 'gemini' ? 10_000 : host === 'codex' && event === 'SessionEnd' ? 3 : 10)
    }
    const rewakes = Object.entries(handlers).flatMap(([event, all]) => all.slice(1).map((one) => [event, one] as const))
    const rewake = expect.objectContaining({ command: `${launcher} ${host} quinn rewake`, asyncRewake: true })
    expect(rewakes).toEqual(
      host === 'claude-code'
        ? [
            ['SessionStart', rewake],
            ['Stop', rewake],
          ]
        : [],
    )
    expect(statSync(join(place.own, 'bin', 'hook')).mode & 0o777).toBe(0o700)
    expect(await answerOf(place, 'agent', 'show', 'quinn')).toMatchObject({ id: 'quinn', kind: 'ai' })

    const middle = snapshot(place.home)
    const again = await place.run([...words, '--agent', 'quinn'])
    expect(again).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^Nothing to change: /) })
    const stable = (files: Readonly<Record<string, string>>) =>
      Object.fromEntries(
        Object.entries(files).filter(([name]) => !name.startsWith(place.own) || /bin|installed/.test(name)),
      )
    expect(stable(snapshot(place.home))).toEqual(stable(middle))

    expect(await place.run([...words, '--uninstall'])).toMatchObject({ exit: 0, stderr: '' })
    expect(snapshot(place.home, ['.postern'])).toEqual(before)
    expect(await answerOf(place, ...words, '--uninstall')).toMatchObject({ changed: false, agents: [] })
  })

  it.each(CASES)('leaves the hooks of others in %s for a %s as they are, byte for byte', async (host, scope, file) => {
    const place = makePlace()
    const path = write(join(scope === 'user' ? place.home : place.project, file), FOREIGN)
    chmodSync(path, 0o640)
    const before = snapshot(place.home, ['.postern'])
    const words = ['init', '--host', host, '--scope', scope]
    const { backup } = await answerOf<{ backup: string }>(place, ...words, '--agent', 'quinn')
    expect(readFileSync(backup, 'utf8')).toBe(FOREIGN)
    expect(readFileSync(path, 'utf8')).not.toBe(FOREIGN)
    expect(statSync(path).mode & 0o777).toBe(0o640)
    await answerOf(place, ...words, '--uninstall')
    expect(snapshot(place.home, ['.postern'])).toEqual(before)
  })

  it('keeps what was edited in between, and then the backup too', async () => {
    const place = makePlace()
    const path = write(join(place.home, '.claude', 'settings.json'), '{\n  "model": "a"\n}\n')
    await answerOf(place, 'init', '--host', 'claude-code', '--agent', 'quinn')
    writeFileSync(path, readFileSync(path, 'utf8').replace('"a"', '"another"'))
    const { stdout } = await place.run(['init', '--host', 'claude-code', '--uninstall'])
    expect(readFileSync(path, 'utf8')).toBe('{\n  "model": "another"\n}\n')
    expect(stdout).toContain(`The file as it was before Postern came: ${path}.postern-backup\n`)
    expect(readFileSync(`${path}.postern-backup`, 'utf8')).toBe('{\n  "model": "a"\n}\n')
  })

  it('serves another agent when asked to, and never two in one file', async () => {
    const place = makePlace()
    const path = write(join(place.home, '.claude', 'settings.json'), FOREIGN)
    await answerOf(place, 'init', '--host', 'claude-code', '--agent', 'quinn')
    const { stdout } = await place.run(['init', '--host', 'claude-code', '--agent', 'mindy'])
    expect(stdout).toContain('It did so for quinn before.')
    expect(readFileSync(path, 'utf8')).not.toContain('quinn')
    await answerOf(place, 'init', '--host', 'claude-code', '--uninstall', '--agent', 'quinn')
    expect(readFileSync(path, 'utf8')).toContain('mindy')
    await answerOf(place, 'init', '--host', 'claude-code', '--uninstall', '--agent', 'mindy')
    expect(readFileSync(path, 'utf8')).toBe(FOREIGN)
    expect(readdirSync(dirname(path))).toEqual(['settings.json'])
  })

  it('says what Codex needs, and that both scopes run', async () => {
    const place = makePlace()
    expect((await place.run(['init', '--host', 'codex', '--agent', 'quinn'])).stdout).toContain(
      'open /hooks, and trust these',
    )
    const { stdout } = await place.run(['init', '--host', 'codex', '--agent', 'mindy', '--scope', 'project'])
    expect(stdout).toContain(`Careful: ${join(place.home, '.codex/hooks.json')} calls Postern for quinn as well`)
  })

  it('remembers each of several that are installed at once, and takes all of them out again', async () => {
    const place = makePlace('me', postern)
    write(join(place.home, '.claude', 'settings.json'), FOREIGN)
    const before = snapshot(place.home, ['.postern'])
    const all = CASES.map(([host, scope]) => ['init', '--host', host, '--scope', scope])
    await answerOf(place, 'agent', 'add', 'quinn')
    await Promise.all(all.map((words) => answerOf(place, ...words, '--agent', 'quinn')))
    await Promise.all(all.map((words) => answerOf(place, ...words, '--uninstall')))
    expect(snapshot(place.home, ['.postern'])).toEqual(before)
  })

  it('says that a project’s file is everybody’s', async () => {
    const place = makePlace()
    const project = ['init', '--host', 'claude-code', '--agent', 'quinn', '--scope', 'project']
    expect((await place.run(project)).stdout).toContain('They need Postern with an agent quinn')
    const cursor = ['init', '--host', 'cursor', '--agent', 'quinn', '--scope', 'project']
    expect((await place.run(cursor)).stdout).toContain(`a path of this machine (${place.own}/bin/hook)`)
    expect((await place.run(['init', '--host', 'codex', '--agent', 'quinn'])).stdout).not.toContain(
      'shares this project',
    )
  })

  it('goes where the variables of the hosts lead', async () => {
    const place = makePlace()
    const elsewhere = join(place.home, 'else where')
    for (const [host, variable, file] of [
      ['claude-code', 'CLAUDE_CONFIG_DIR', 'settings.json'],
      ['codex', 'CODEX_HOME', 'hooks.json'],
      ['gemini', 'GEMINI_CLI_HOME', '.gemini/settings.json'],
    ] as const) {
      const outcome = await place.run(['init', '--host', host, '--agent', 'quinn', '--json'], { [variable]: elsewhere })
      expect(JSON.parse(outcome.stdout).path).toBe(join(elsewhere, file))
    }
  })

  it('names its own home where that is not the usual one', async () => {
    const place = makePlace()
    const own = join(place.home, "our 'own'")
    const words = ['init', '--host', 'claude-code', '--home', own]
    const { path } = await answerOf<{ path: string }>(place, ...words, '--agent', 'quinn')
    const [start] = handlersIn(path)['SessionStart'] ?? []
    expect(start?.command).toBe(`'${own.replaceAll("'", "'\\''")}/bin/hook' claude-code quinn full`)
    expect(await answerOf(place, ...words, '--agent', 'quinn')).toMatchObject({ changed: false })
    expect(await answerOf(place, ...words, '--uninstall')).toMatchObject({ changed: true, removed: true })
  })

  it('follows a link of the user, keeps it, and says so', async () => {
    const place = makePlace()
    const real = write(join(place.home, 'dotfiles', 'claude.json'), FOREIGN)
    mkdirSync(join(place.home, '.claude'))
    symlinkSync(real, join(place.home, '.claude', 'settings.json'))
    const before = snapshot(place.home, ['.postern'])
    const { stdout } = await place.run(['init', '--host', 'claude-code', '--agent', 'quinn'])
    expect(stdout).toContain('settings.json is a link')
    expect(readFileSync(real, 'utf8')).toContain('quinn')
    await place.run(['init', '--host', 'claude-code', '--uninstall'])
    expect(snapshot(place.home, ['.postern'])).toEqual(before)
  })

  it('says for a program of one’s own what to call, and touches no settings', async () => {
    const place = makePlace()
    const before = snapshot(place.home, ['.postern'])
    const { stdout } = await place.run(['init', '--host', 'generic', '--agent', 'quinn'])
    expect(stdout).toContain('    $HOME/.postern/bin/hook generic quinn\n')
    expect(snapshot(place.home, ['.postern'])).toEqual(before)
    expect((await place.run(['init', '--host', 'generic', '--uninstall'])).exit).toBe(64)
  })

  it('asks a person at a terminal, and writes only after a yes', async () => {
    const place = makePlace()
    const path = join(place.home, '.claude', 'settings.json')
    expect(await onTerminal(place, 'n\n')).toMatchObject({
      exit: 1,
      text: expect.stringContaining('Nothing was written.'),
    })
    expect(existsSync(path)).toBe(false)
    expect(existsSync(join(place.own, 'bin', 'hook'))).toBe(false)
    expect(await onTerminal(place, 'y\n')).toMatchObject({ exit: 0 })
    expect(existsSync(path)).toBe(true)
  })
})

async function onTerminal({ home, project }: Place, reply: string) {
  const words = [process.execPath, EXECUTABLE, 'init', '--host', 'claude-code', '--agent', 'quinn']
  const line = words.map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd: project,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TERM: 'xterm', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    // The reply comes when it is asked for, as a person would give it.
    if (!text.includes('[y/N]') && (text + chunk).includes('[y/N]')) child.stdin.write(reply)
    text += chunk
  })
  const exit = await new Promise((resolve) => child.on('close', resolve))
  return { exit, text }
}

describe('postern init refuses', () => {
  it.each([
    ['text that is not JSON', '{ "hooks": oops }', 'line 1, column 12'],
    ['an unfinished file', '{\n  "a": 1,\n', 'line 3, column 1'],
    ['a list', '[]', 'not a JSON object'],
    ['hooks that are a list', '{"hooks": []}', '"hooks" is not an object'],
    ['an event that is no list', '{"hooks": {"Stop": {}}}', '"hooks.Stop" is not a list'],
    ['text that is not UTF-8', '\xff\xfe{', 'not UTF-8'],
  ])('%s, and writes nothing', async (_, text, reason) => {
    const place = makePlace()
    const path = join(place.home, '.claude', 'settings.json')
    mkdirSync(dirname(path))
    writeFileSync(path, text, 'latin1')
    const before = snapshot(place.home)
    const { exit, stderr } = await place.run(['init', '--host', 'claude-code', '--agent', 'quinn'])
    expect(exit).toBe(64)
    expect(stderr).toContain(reason)
    expect(stderr).toContain('[SETTINGS_REFUSED]')
    // The file is somebody's: whoever reads this must not think that it can go.
    expect(stderr).toContain('keep what else it holds')
    expect(stderr).not.toContain('remove')
    expect(snapshot(place.home)).toEqual(before)
  })

  it('links that lead nowhere, or out of a project, and what is no file', async () => {
    const place = makePlace()
    const settings = join(place.project, '.claude', 'settings.json')
    mkdirSync(dirname(settings))
    const victim = write(join(place.home, 'victim.json'), '{}')
    symlinkSync(victim, settings)
    const words = ['init', '--host', 'claude-code', '--agent', 'quinn', '--scope', 'project']
    expect((await place.run(words)).stderr).toContain('it leads out of the project')
    expect(readFileSync(victim, 'utf8')).toBe('{}')
    symlinkSync(join(place.home, 'nowhere'), join(place.home, '.claude'))
    expect((await place.run(['init', '--host', 'claude-code', '--agent', 'quinn'])).stderr).toContain('leads nowhere')
    mkdirSync(join(place.home, '.codex', 'hooks.json'), { recursive: true })
    expect((await place.run(['init', '--host', 'codex', '--agent', 'quinn'])).stderr).toContain('not a file')
  })

  it('unknown hosts, scopes, agents, and people', async () => {
    const place = makePlace()
    const init = async (...words: readonly string[]) => (await place.run(['init', ...words])).exit
    expect(await init('--host', 'emacs', '--agent', 'quinn')).toBe(64)
    expect(await init('--agent', 'quinn')).toBe(64)
    expect(await init('--host', 'codex')).toBe(64)
    expect(await init('--host', 'codex', '--agent', 'quinn', '--scope', 'world')).toBe(64)
    for (const agent of ['Quinn', '../x', 'a b', '$(id)', 'all', ''])
      expect(await init('--host', 'codex', '--agent', agent), agent).toBe(64)
    await place.run(['agent', 'add', 'justin', '--kind', 'human'])
    expect(await init('--host', 'codex', '--agent', 'justin')).toBe(6)
    expect(existsSync(join(place.home, '.codex'))).toBe(false)
  })
})

describe('what was installed', () => {
  it('runs for a colleague too, whatever their home is called', async () => {
    const [mine, theirs] = [makePlace(), makePlace('their "own" home')]
    const words = ['init', '--host', 'claude-code', '--agent', 'quinn']
    const { path } = await answerOf<{ path: string }>(mine, ...words, '--scope', 'project')
    write(join(theirs.own, 'bin', 'hook'), '#!/bin/sh\nprintf "<%s>" "$@"\n')
    chmodSync(join(theirs.own, 'bin', 'hook'), 0o755)
    const command = handlersIn(path)['Stop']?.[0]?.command ?? ''
    const env = { PATH: '/usr/bin:/bin', HOME: theirs.home }
    expect(spawnSync('/bin/sh', ['-c', command], { env, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stdout: '<claude-code><quinn><full>',
    })
  })

  it('ends well where not even our home can be looked at', () => {
    const folder = temporaryFolder()
    const loop = join(folder, 'loop')
    symlinkSync(loop, loop)
    for (const more of [[], ['--rewake']]) {
      const outcome = spawnSync(process.execPath, [EXECUTABLE, 'hook', '--host', 'claude-code', ...more], {
        env: { PATH: process.env['PATH'] ?? '', HOME: folder, POSTERN_HOME: loop },
        input: '{"hook_event_name":"Stop","session_id":"s1"}',
        encoding: 'utf8',
      })
      expect(outcome).toMatchObject({ status: 0, stdout: '' })
    }
  })

  it.each(['plain', 'it\'s a "home" $HOME'])(
    'runs by its very command line in a home called %s',
    NEEDS_BOOT_ID,
    async (name) => {
      const place = makePlace(name)
      const { path } = await answerOf<{ path: string }>(place, 'init', '--host', 'claude-code', '--agent', 'quinn')
      const record = (node: string) => installLauncher({ node, program: EXECUTABLE, home: place.own })
      // The program that it recorded leaves its mark, and then is gone.
      record('/bin/echo')
      const run = (command: string | undefined) =>
        spawnSync('/bin/sh', ['-c', command ?? ''], {
          env: { PATH: '/usr/bin:/bin', HOME: place.home },
          input: '{}',
          encoding: 'utf8',
        })
      const handlers = handlersIn(path)
      const words = `--v8-pool-size=1 --min-semi-space-size=2 ${EXECUTABLE} hook --host claude-code --agent quinn`
      expect(run(handlers['Stop']?.[0]?.command).stdout).toBe(`${words}\n`)
      expect(run(handlers['Stop']?.[1]?.command).stdout).toBe(`${words} --rewake\n`)

      record('/nowhere/node')
      write(join(place.own, 'quiet', 'quinn'), formatQuiet(readFileSync(BOOT_ID_FILE, 'utf8').trim(), []) ?? '')
      expect(run(handlers['UserPromptSubmit']?.[0]?.command)).toMatchObject({ status: 0, stdout: '', stderr: '' })
      expect(existsSync(join(place.own, 'hook-errors.log'))).toBe(false)
      expect(run(handlers['Stop']?.[0]?.command)).toMatchObject({ status: 0, stdout: '', stderr: '' })
      expect(readFileSync(join(place.own, 'hook-errors.log'), 'utf8')).toContain('is gone')
      await answerOf(place, 'init', '--host', 'claude-code', '--agent', 'quinn')
      expect(record(process.execPath), 'was renewed').toBe(false)
    },
  )
})
