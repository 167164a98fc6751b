import { mkdirSync, readdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { formatRunInfo, parseRunInfo, type RunInfo, readRunInfo, writeRunInfo } from './run-info.ts'

const INFO: RunInfo = {
  version: 1,
  run_id: 'run_20260205-123456-12345',
  project_id: 'true',
  task_id: '012',
  agent: 'codex',
  pid: 4711,
  pgid: 4711,
  start_time: '2026-02-05T12:34:56.789Z',
  exit_code: -1,
  status: 'running',
  cwd: '/home/someone/a folder: with "signs" # in\nit',
  output_path: '/r/output.md',
  stdout_path: '/r/agent-stdout.txt',
  stderr_path: '/r/agent-stderr.txt',
  commandline: "sh -c 'exit 3' \u2028 é 😀",
  runner_pid: 4710,
  machine: 'host 1234',
}

describe('run-info.yaml', () => {
  it('reads as it was written', () => {
    expect(parseRunInfo(formatRunInfo(INFO))).toEqual(INFO)
  })

  it('is YAML that says the same', () => {
    expect(parse(formatRunInfo(INFO))).toEqual(INFO)
  })

  it('is not ours where something is missing or of another kind', () => {
    const text = formatRunInfo(INFO)
    expect(parseRunInfo('')).toBeUndefined()
    expect(parseRunInfo(text.slice(0, text.length / 2))).toBeUndefined()
    expect(parseRunInfo(text.replace('status: running', 'status: unheard-of'))).toBeUndefined()
    expect(parseRunInfo(text.replace('runner_pid: 4710', 'runner_pid: many'))).toBeUndefined()
    expect(parseRunInfo(text.replace(/^machine: .*$/m, 'machine: "cut off'))).toBeUndefined()
  })

  it('is replaced as a whole, and only its owner can read it', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'run-info.yaml')
    writeRunInfo(path, INFO)
    writeFileSync(`${path}.partial-${process.pid}`, 'of one that was killed')
    writeRunInfo(path, { ...INFO, status: 'completed', exit_code: 0 })
    expect(readRunInfo(path)).toEqual({ ...INFO, status: 'completed', exit_code: 0 })
    expect(readdirSync(folder)).toEqual(['run-info.yaml'])
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('is nothing where it is larger than we ever write it', () => {
    const path = join(temporaryFolder(), 'run-info.yaml')
    writeRunInfo(path, INFO)
    // More than a text can hold.
    truncateSync(path, 2 ** 40)
    expect(readRunInfo(path)).toBeUndefined()
    truncateSync(path, 64 * 1024 + 1)
    expect(readRunInfo(path)).toBeUndefined()
  })

  it('is nothing where it is a link, a folder or not there', () => {
    const folder = temporaryFolder()
    writeRunInfo(join(folder, 'elsewhere'), INFO)
    symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))
    mkdirSync(join(folder, 'folder'))
    for (const name of ['link', 'folder', 'missing']) expect(readRunInfo(join(folder, name))).toBeUndefined()
  })
})
