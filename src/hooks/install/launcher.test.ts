import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { needsPrograms } from '../../../test/helpers/needs.ts'
import { HAS_NATIVE_LAUNCHER, NEEDS_BOOT_ID } from '../../../test/helpers/quiet.ts'
import { BOOT_ID_FILE, formatQuiet } from '../../model/quiet.ts'
import { installLauncher } from './install-launcher.ts'
import { formatLauncher, HOOK_ERRORS } from './launcher.ts'

const SHELLS = ['sh', 'dash', 'bash', 'bash --posix', 'busybox sh', 'zsh --emulate sh', 'mksh']
const find = (program: string) =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => existsSync(path))
const shells = SHELLS.filter((shell) => find(shell.split(' ')[0] ?? ''))
/** The one in C, where there is one for this machine. */
const NATIVE = 'C'
const languages = [...shells, ...(HAS_NATIVE_LAUNCHER ? [NATIVE] : [])]

const bootId = () => readFileSync(BOOT_ID_FILE, 'utf8').trim()

interface Home {
  readonly home: string
  readonly launcher: string
  readonly run: (words: readonly string[], env?: Readonly<Record<string, string>>) => Outcome
  readonly write: (path: string, text: string) => string
}

interface Outcome {
  readonly exit: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Answers with its own arguments, as a Node that was started would leave its mark. */
const RECORDER = '#!/bin/sh\nfor word in "$@"; do printf "<%s>" "$word"; done\n'

/** A home with a launcher; its Node is a recorder, or absent. */
function makeHome(language: string, { name = 'home', node = RECORDER as string | null } = {}): Home {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'postern-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const home = join(root, name)
  const write = (path: string, text: string) => {
    const file = join(home, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  const program = write('postern.cjs', '')
  const recorded = join(home, 'node')
  if (node !== null) chmodSync(write('node', node), 0o755)
  const facts = { node: recorded, program, home }
  const launcher = join(home, 'bin', 'hook')
  if (language === NATIVE) {
    installLauncher(facts)
    // What has several lines cannot be told.
    expect(existsSync(`${launcher}.facts`)).toBe(!name.includes('\n'))
  } else chmodSync(write('bin/hook', formatLauncher(facts)), 0o755)
  mkdirSync(join(home, 'live'))
  const [shell = '', ...options] = language === NATIVE ? [] : language.split(' ')
  const [command = '', ...before] = shell === '' ? [launcher] : [find(shell) ?? shell, ...options, launcher]
  return {
    home,
    launcher,
    write,
    run(words, env = {}) {
      const { status, stdout, stderr } = spawnSync(command, [...before, ...words], {
        env: { PATH: '/usr/bin:/bin', ...env },
        input: '{"not": "read"}',
        encoding: 'utf8',
      })
      return { exit: status, stdout, stderr }
    },
  }
}

const QUIETLY: Outcome = { exit: 0, stdout: '', stderr: '' }
const QUINN = ['claude-code', 'quinn']
const startOf = (home: string, ...words: readonly string[]): Outcome => ({
  exit: 0,
  stdout: ['--v8-pool-size=1', '--min-semi-space-size=2', join(home, 'postern.cjs'), 'hook', '--host', ...words]
    .map((word) => `<${word}>`)
    .join(''),
  stderr: '',
})
const NORMAL = ['claude-code', '--agent', 'quinn']

it('finds a shell to try', () => {
  expect(shells).toContain('sh')
})

describe.each(languages)('the launcher in %s', NEEDS_BOOT_ID, (language) => {
  const makeQuiet = (
    options: Parameters<typeof makeHome>[1] = {},
    spools: readonly string[] = ['/nowhere/s.jsonl'],
  ) => {
    const home = makeHome(language, options)
    home.write('quiet/quinn', formatQuiet(bootId(), spools) ?? '')
    return home
  }

  it('leaves without Node where the agent is quiet, and touches that it lives', () => {
    const { home, run } = makeQuiet({ node: null })
    expect(run(QUINN)).toEqual(QUIETLY)
    expect(existsSync(join(home, HOOK_ERRORS))).toBe(false)
    const live = join(home, 'live', 'quinn')
    utimesSync(live, 1, 1)
    expect(run(QUINN)).toEqual(QUIETLY)
    expect(statSync(live).mtimeMs).toBeGreaterThan(1_000_000)
    expect(run(['cursor', 'quinn'])).toEqual({ ...QUIETLY, stdout: '{}\n' })
  })

  it('keeps what it touches private under any umask', () => {
    const { home, run } = makeQuiet({ node: null })
    const mask = process.umask(0)
    try {
      expect(run(QUINN)).toEqual(QUIETLY)
    } finally {
      process.umask(mask)
    }
    expect(statSync(join(home, 'live', 'quinn')).mode & 0o777).toBe(0o600)
  })

  it('starts Node where nothing says that the agent is quiet', () => {
    const { home, run } = makeHome(language)
    expect(run(QUINN)).toEqual(startOf(home, ...NORMAL))
  })

  it('starts Node for events that must reach it, quiet or not', () => {
    const { home, run } = makeQuiet()
    expect(run([...QUINN, 'full'])).toEqual(startOf(home, ...NORMAL))
    expect(run([...QUINN, 'rewake'])).toEqual(startOf(home, ...NORMAL, '--rewake'))
    expect(run([...QUINN, ''])).toEqual(QUIETLY)
  })

  it.each([
    ['another boot', `00000000-0000-0000-0000-000000000000\n`],
    ['nothing', ''],
    ['an empty line', '\n'],
    ['the beginning of the boot id', 'BOOT-CUT'],
  ])('starts Node where the quiet file says %s', (_, text) => {
    const { home, run, write } = makeHome(language)
    write('quiet/quinn', text === 'BOOT-CUT' ? bootId().slice(0, 20) : text)
    expect(run(QUINN)).toEqual(startOf(home, ...NORMAL))
  })

  it('starts Node where a spool holds something, and not where it is empty', () => {
    const home = makeHome(language)
    const spools = ['a', 'b c', 'd'].map((name) => home.write(`spools/${name}.jsonl`, ''))
    home.write('quiet/quinn', formatQuiet(bootId(), spools) ?? '')
    expect(home.run(QUINN)).toEqual(QUIETLY)
    for (const name of ['a', 'b c', 'd']) {
      home.write(`spools/${name}.jsonl`, '{}\n')
      expect(home.run(QUINN), name).toEqual(startOf(home.home, ...NORMAL))
      home.write(`spools/${name}.jsonl`, '')
    }
    home.write('spools/d.jsonl', '{}\n')
    home.write('quiet/quinn', `${bootId()}\n${join(home.home, 'spools', 'd.jsonl')}`)
    expect(home.run(QUINN), 'a last line without its end').toEqual(startOf(home.home, ...NORMAL))
  })

  it('starts Node where another store may be meant', () => {
    const { home, run, write } = makeQuiet()
    expect(run(QUINN, { POSTERN_STORE: '/elsewhere.db' })).toEqual(startOf(home, ...NORMAL))
    expect(run(QUINN, { POSTERN_STORE: '' })).toEqual(QUIETLY)
    const config = write('config.json', '{}')
    utimesSync(config, Date.now() / 1000 + 10, Date.now() / 1000 + 10)
    expect(run(QUINN)).toEqual(startOf(home, ...NORMAL))
    utimesSync(config, 1, 1)
    expect(run(QUINN)).toEqual(QUIETLY)
    write('trusted.json', '{}')
    expect(run(QUINN)).toEqual(startOf(home, ...NORMAL))
  })

  it('lets the environment name another agent and another home', () => {
    const { home, run } = makeQuiet()
    expect(run(QUINN, { POSTERN_AGENT: 'mindy' })).toEqual(startOf(home, 'claude-code', '--agent', 'mindy'))
    expect(run(['claude-code', 'mindy'], { POSTERN_AGENT: 'quinn' })).toEqual(QUIETLY)
    expect(run(QUINN, { POSTERN_HOME: '/nowhere' })).toEqual(startOf(home, ...NORMAL))
    expect(run(QUINN, { POSTERN_HOME: home })).toEqual(QUIETLY)
  })

  it.each([
    '../quiet/quinn',
    './quinn',
    'quinn/',
    'Quinn',
    'quinn ',
    '*',
    '$(touch hacked)',
    '; touch hacked',
    '-n',
    'a\nb',
    'ünicode',
  ])('hands the agent %j on as it is, and looks for no file of that name', (agent) => {
    const { home, run } = makeQuiet()
    const handedOn = startOf(home, 'claude-code', '--agent', agent)
    expect(run(['claude-code', agent])).toEqual(handedOn)
    expect(run(QUINN, { POSTERN_AGENT: agent })).toEqual(handedOn)
    expect(existsSync('hacked')).toBe(false)
  })

  it('tells the program where our things are', () => {
    const { home, run } = makeHome(language, { name: 'a b', node: '#!/bin/sh\nprintf "%s" "$POSTERN_HOME"\n' })
    expect(run(QUINN).stdout).toBe(home)
    expect(run(QUINN, { POSTERN_HOME: '/else where' }).stdout).toBe('/else where')
  })

  it('names no agent where there is none', () => {
    const { home, run } = makeQuiet()
    expect(run(['codex'])).toEqual(startOf(home, 'codex'))
    expect(run([])).toEqual(startOf(home, ''))
  })

  it.each(["a b'c", 'q"uote', '$HOME `id` }', 'back\\slash', 'new\nline'])('works in a home called %j', (name) => {
    const quiet = makeQuiet({ name, node: null })
    expect(quiet.run(QUINN)).toEqual(QUIETLY)
    const { home, run } = makeHome(language, { name })
    expect(run(QUINN)).toEqual(startOf(home, ...NORMAL))
  })

  it('says nothing where it cannot touch, read or write', () => {
    const { home, run, launcher } = makeQuiet({ node: null })
    mkdirSync(join(home, 'live', 'quinn'))
    expect(run(QUINN)).toEqual(QUIETLY)
    mkdirSync(join(home, HOOK_ERRORS))
    expect(run([...QUINN, 'full'])).toEqual(QUIETLY)
    expect(run(QUINN, { POSTERN_HOME: '/nowhere' })).toEqual(QUIETLY)
    // Somebody pushes between the look at the file and its opening, which are one in C.
    if (language === NATIVE) return
    writeFileSync(launcher, readFileSync(launcher, 'utf8').replace(/^ *\[ -f "\$quiet" \].*$/m, ''))
    rmSync(join(home, 'quiet'), { recursive: true })
    expect(run(QUINN)).toEqual(QUIETLY)
  })

  it('leaves a line where nothing is left to run, and never too many', () => {
    const { home, run } = makeHome(language, { node: null })
    expect(run(QUINN)).toEqual(QUIETLY)
    const errors = join(home, HOOK_ERRORS)
    expect(readFileSync(errors, 'utf8')).toMatch(
      /^\d{4}-\d\d-\d\dT[\d:]+Z launcher: .* is gone; run "postern init" again\n$/,
    )
    writeFileSync(errors, 'x\n'.repeat(49))
    run(QUINN)
    expect(readFileSync(errors, 'utf8').split('\n')).toHaveLength(51)
    run(QUINN)
    expect(readFileSync(errors, 'utf8').split('\n')).toHaveLength(2)
  })

  it('asks the postern on the path where what it recorded is gone', () => {
    const { home, run, write } = makeHome(language, { node: null })
    const env = { PATH: `${join(home, 'path')}:/usr/bin:/bin` }
    chmodSync(write('path/postern', RECORDER), 0o755)
    expect(run([...QUINN, 'full'], env).stdout).toBe('<hook><--host><claude-code><--agent><quinn>')
    write('path/postern', '#!/bin/sh\necho waiting >&2\nexit 2\n')
    expect(run([...QUINN, 'rewake'], env)).toEqual({ exit: 2, stdout: '', stderr: 'waiting\n' })
    expect(run(QUINN, env).exit).toBe(0)
    expect(readFileSync(join(home, HOOK_ERRORS), 'utf8')).toContain('the postern on the path ended with 2')
  })
})

describe('the idle path', { ...NEEDS_BOOT_ID, ...needsPrograms('strace') }, () => {
  it.each(['sh', 'bash'].filter(find))('starts no process in %s', (shell) => {
    const { home, launcher, write } = makeHome(shell, { node: null })
    write('quiet/quinn', formatQuiet(bootId(), ['/nowhere']) ?? '')
    const calls = join(home, 'calls')
    execFileSync('strace', ['-f', '-o', calls, '-e', 'trace=process', shell, launcher, ...QUINN], { stdio: 'ignore' })
    const starts = readFileSync(calls, 'utf8').match(/\b(?:execve|execveat|fork|vfork|clone|clone3)\(/g)
    expect(starts).toEqual(['execve('])
  })
})
