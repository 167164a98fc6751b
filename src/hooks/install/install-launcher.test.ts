import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isRoot, needs } from '../../../test/helpers/needs.ts'
import { HAS_NATIVE_LAUNCHER, NEEDS_NATIVE_LAUNCHER } from '../../../test/helpers/quiet.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { FULL } from '../../../test/helpers/tier.ts'
import { BOOT_ID_FILE } from '../../model/quiet.ts'
import { installLauncher } from './install-launcher.ts'
import { formatLauncher } from './launcher.ts'

const factsOf = (home: string) => ({ node: join(home, 'node'), program: join(home, 'postern.cjs'), home })

describe('installing the launcher', () => {
  it('renews only what differs, and leaves nothing else behind', () => {
    const home = temporaryFolder()
    const facts = factsOf(home)
    expect(installLauncher(facts)).toBe(true)
    expect(installLauncher(facts)).toBe(false)
    expect(installLauncher({ ...facts, node: '/opt/node' })).toBe(true)
    expect(readdirSync(join(home, 'bin'))).toEqual(HAS_NATIVE_LAUNCHER ? ['hook', 'hook.facts', 'hook.sh'] : ['hook'])
    expect(statSync(join(home, 'bin', 'hook')).mode & 0o777).toBe(0o700)
  })

  it('takes the one in shell where the other could not be told what it must know, and that one alone', () => {
    const home = temporaryFolder()
    installLauncher(factsOf(home))
    const facts = { ...factsOf(home), node: '/two\nlines' }
    expect(installLauncher(facts)).toBe(true)
    expect(readdirSync(join(home, 'bin'))).toEqual(['hook'])
    expect(readFileSync(join(home, 'bin', 'hook'), 'utf8')).toBe(formatLauncher(facts))
  })
})

/** What a Node that was started says: its words, its home, and which descriptors it was given. */
const RECORDER = `#!/bin/sh
for word in "$@"; do printf "<%s>" "$word"; done
printf " %s" "$POSTERN_HOME" /proc/self/fd/*
`

/** Both launchers in one home. */
function makeBoth() {
  const home = temporaryFolder()
  for (const folder of ['quiet', 'live']) mkdirSync(join(home, folder))
  writeFileSync(join(home, 'node'), RECORDER)
  chmodSync(join(home, 'node'), 0o755)
  writeFileSync(join(home, 'postern.cjs'), '')
  installLauncher(factsOf(home))
  const run = (name: 'hook' | 'hook.sh', words: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    for (const agent of readdirSync(join(home, 'live'))) rmSync(join(home, 'live', agent))
    const options = { env: { PATH: '/usr/bin:/bin', ...env }, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(join(home, 'bin', name), words, options)
    return { status, stdout, stderr, heardOf: readdirSync(join(home, 'live')) }
  }
  return { home, run }
}

/** Runs a script with mounts of its own. Root needs no user namespace; others get one where the machine lets them. */
function runWithOwnMounts(script: string) {
  return spawnSync('unshare', [isRoot ? '-m' : '-rm', 'sh', '-c', script], { encoding: 'utf8' })
}

const HIDE_PROC = 'mount -t tmpfs none /proc'
const NEEDS_MOUNTS = needs(runWithOwnMounts(HIDE_PROC).status === 0 ? undefined : 'a mount namespace ("unshare -m")')

describe('the launcher in C', NEEDS_NATIVE_LAUNCHER, () => {
  it.each([
    ['are missing', null],
    ['are empty', ''],
    ['name no Node', '/home\n'],
    ['name a Node that is gone', '/home\n/gone/node\n/gone/postern.cjs\n'],
    ['are too many', `/home\n${'/bin/echo\n'.repeat(100)}`],
    ['are no text', '/home\n\0\n'],
  ])('leaves it to the one in shell where its facts %s', (_, facts) => {
    const { home, run } = makeBoth()
    const path = join(home, 'bin', 'hook.facts')
    if (facts === null) rmSync(path)
    else writeFileSync(path, facts)
    const expected = run('hook.sh', ['codex', 'quinn'])
    expect(expected.stdout).toContain('<hook><--host><codex><--agent><quinn>')
    expect(run('hook', ['codex', 'quinn'])).toEqual(expected)
  })

  it('says nothing and succeeds where that is gone too', () => {
    const { home, run } = makeBoth()
    for (const name of ['hook.facts', 'hook.sh']) rmSync(join(home, 'bin', name))
    expect(run('hook', ['codex', 'quinn'])).toEqual({ status: 0, stdout: '', stderr: '', heardOf: [] })
    expect(run('hook', ['cursor', 'quinn']).stdout).toBe('{}\n')
  })

  it('does what the one in shell does, whatever it finds', FULL, () => {
    const { home, run } = makeBoth()
    const boot = readFileSync(BOOT_ID_FILE, 'utf8').trim()
    const [empty, full, gone] = ['empty', 'full', 'gone'].map((name) => join(home, name))
    writeFileSync(join(home, 'empty'), '')
    writeFileSync(join(home, 'full'), '{}\n')
    const spools = fc.array(fc.constantFrom(empty, full, gone, ''), { maxLength: 3 })
    const quiet = fc.oneof(
      { weight: 4, arbitrary: spools.map((each) => [boot, ...each].join('\n')) },
      { weight: 8, arbitrary: spools.map((each) => `${[boot, ...each].join('\n')}\n`) },
      fc.constantFrom(null, '', '\n', boot.slice(1), `${boot}\r\n`, `${boot}\n${`${gone}\n`.repeat(500)}`),
    )
    const [later, earlier] = [Date.now() / 1000 + 60, 1]
    const scene = fc.record({
      quiet,
      configAt: fc.option(fc.constantFrom(later, earlier), { freq: 2 }),
      isTrusted: fc.integer({ max: 9, min: 0 }).map((dice) => dice === 0),
      host: fc.constantFrom('claude-code', 'cursor', 'generic', ''),
      agent: fc.constantFrom('quinn', 'quinn', 'quinn', 'mindy', 'Quinn', ''),
      more: fc.constantFrom([], [], [], [''], ['full'], ['rewake'], ['other', 'words']),
      env: fc.constantFrom<Record<string, string>[]>(
        ...Array.from({ length: 6 }, () => ({})),
        ...['quinn', 'other', ''].map((POSTERN_AGENT) => ({ POSTERN_AGENT })),
        ...[home, '/nowhere', ''].map((POSTERN_HOME) => ({ POSTERN_HOME })),
        ...['/other.db', ''].map((POSTERN_STORE) => ({ POSTERN_STORE })),
        ...['0', '1'].map((CLAUDE_CODE_SESSION_ATTENDED) => ({ CLAUDE_CODE_SESSION_ATTENDED })),
      ),
    })
    const put = (name: string, content: string | null, at?: number) => {
      rmSync(join(home, name), { force: true })
      if (content !== null) writeFileSync(join(home, name), content)
      if (content !== null && at !== undefined) utimesSync(join(home, name), at, at)
    }
    const outcomes = { quiet: 0, started: 0 }
    const agree = fc.property(scene, ({ quiet, configAt, isTrusted, host, agent, more, env }) => {
      put('quiet/quinn', quiet)
      put('config.json', configAt === null ? null : '{}', configAt ?? undefined)
      put('trusted.json', isTrusted ? '{}' : null)
      const words = [host, agent, ...more]
      const found = run('hook', words, env)
      expect(found).toEqual(run('hook.sh', words, env))
      outcomes[found.stdout.includes('<hook>') ? 'started' : 'quiet']++
    })
    fc.assert(agree, { numRuns: 300 })
    expect(Math.min(outcomes.quiet, outcomes.started), 'of either way').toBeGreaterThan(5)
  })

  it('starts Node where nobody can ask the kernel anything', NEEDS_MOUNTS, () => {
    const { home } = makeBoth()
    writeFileSync(join(home, 'quiet', 'quinn'), `${readFileSync(BOOT_ID_FILE, 'utf8')}`)
    const { stdout } = runWithOwnMounts(`${HIDE_PROC} && exec '${join(home, 'bin', 'hook')}' codex quinn`)
    expect(stdout).toContain('<hook><--host><codex><--agent><quinn>')
  })

  it('believes no quiet file that is no file', () => {
    const { home, run } = makeBoth()
    mkdirSync(join(home, 'quiet', 'quinn'))
    expect(run('hook', ['codex', 'quinn']).stdout).toContain('<hook>')
    spawnSync('mkfifo', [join(home, 'quiet', 'mindy')])
    expect(run('hook', ['codex', 'mindy']).stdout).toContain('<hook>')
  })

  it('names no folder of the machine that built it', () => {
    const native = new URL('../../../native/', import.meta.url)
    const built = readdirSync(new URL('prebuilt', native)).filter((name) => name.startsWith('hook-'))
    expect(built).toEqual(['hook-linux-arm64', 'hook-linux-x64'])
    const naming = built.filter((name) => readFileSync(new URL(`prebuilt/${name}`, native)).includes('/native/'))
    expect(naming, 'name the machine that built them').toEqual([])
  })
})
