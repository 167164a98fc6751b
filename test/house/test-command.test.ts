import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { findCommit } from '../../scripts/testing/campaigns.ts'
import { ROOT } from '../../scripts/testing/processes.ts'
import { appendResult, readResults } from '../../scripts/testing/results.ts'
import { failIfEmpty } from '../../scripts/testing/summary.ts'
import { installPrograms, PREPARED } from '../helpers/binaries.ts'
import { NEEDS_LINUX, NEEDS_ROOT } from '../helpers/needs.ts'
import { PATIENTLY } from '../helpers/patience.ts'
import { temporaryFolder } from '../helpers/temp.ts'

function runScript(name: string, ...args: readonly string[]) {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, 'scripts', name), ...args], { encoding: 'utf8' })
  return { status, stdout }
}

describe('a results file', () => {
  it('loses no line to one that a killed process has left unfinished', () => {
    const path = join(temporaryFolder(), 'cache', 'results.jsonl')
    expect(readResults(path)).toEqual([])
    appendResult(path, { at: 1 })
    appendFileSync(path, '{"at":')
    appendResult(path, { at: 2 })
    expect(readResults(path)).toEqual([{ at: 1 }, { at: 2 }])
  })
})

describe('results of campaigns', () => {
  it('belong to no commit where a file was changed since', () => {
    const root = temporaryFolder()
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=quinn', '-c', 'user.email=quinn@example.com', ...words], { cwd: root })
    git('init', '-q')
    writeFileSync(join(root, 'file'), 'one')
    git('add', 'file')
    git('commit', '-q', '-m', 'Add a file')
    expect(findCommit(root)).toMatch(/^[0-9a-f]{40}$/)
    writeFileSync(join(root, 'file'), 'two')
    expect(findCommit(root)).toBeUndefined()
  })
})

describe('npm test', () => {
  it('fails where no test ran', () => {
    expect(failIfEmpty({ passed: 0, failed: 0 })).toEqual({ passed: 0, failed: 1 })
    for (const counts of [
      { passed: 1, failed: 0 },
      { passed: 0, failed: 2 },
    ])
      expect(failIfEmpty(counts)).toEqual(counts)
  })

  it('fails for an option that it does not know', () => {
    const { status, stdout } = runScript('test.ts', '--ful')
    expect(stdout).toContain('there is no option --ful')
    expect(stdout).toMatch(/^0 passed, 1 failed\n$/m)
    expect(status).toBe(1)
  })
})

describe('a test run', () => {
  it('ends what it started when it is ended itself', NEEDS_LINUX, async () => {
    const pidFile = join(temporaryFolder(), 'pid')
    const module = pathToFileURL(join(ROOT, 'scripts', 'testing', 'processes.ts')).href
    const script = `const { run } = await import(${JSON.stringify(module)})
      await run(['sh', '-c', 'echo $$ >"$0.new"; mv "$0.new" "$0"; exec sleep 600', ${JSON.stringify(pidFile)}])`
    const runner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    onTestFinished(() => void runner.kill('SIGKILL'))
    await expect.poll(() => existsSync(pidFile), PATIENTLY).toBe(true)
    const pid = Number(readFileSync(pidFile, 'utf8'))
    const ended = once(runner, 'exit')
    runner.kill('SIGTERM')
    expect(await ended).toEqual([1, null])
    expect(existsSync(`/proc/${pid}`)).toBe(false)
  })
})

describe('npm run test:flakes', () => {
  it('fails where nothing was run', () => {
    const results = join(temporaryFolder(), 'flakes.jsonl')
    expect(runScript('flakes.ts', '--table', '--results', results).status).toBe(1)
    expect(runScript('flakes.ts', '--minutes', 'many', '--results', results).status).toBe(1)
  })
})

/** Knows every package but tmux, and installs a program of the package's name beside itself. */
const APT = `#!/bin/sh
case "$*" in *tmux*) exit 100 ;; esac
for word; do package=$word; done
[ "$package" = update ] || /bin/cp "$0" "\${0%/*}/$package"
`

describe('the preparation of a machine', NEEDS_ROOT, () => {
  it('installs what it can where one package cannot be had', () => {
    const folder = temporaryFolder()
    vi.stubEnv('PATH', folder)
    vi.stubEnv(PREPARED, '')
    onTestFinished(() => void vi.unstubAllEnvs())
    writeFileSync(join(folder, 'apt-get'), APT, { mode: 0o755 })
    expect(installPrograms(['strace', 'tmux'])).toEqual(['tmux'])
  })
})
