import { describe, expect, it } from 'vitest'
import { endEntry, startEntry } from './run-entries.ts'
import type { RunInfo } from './run-info.ts'

const FOLDER = '/buses/p/t/runs/run_20260205-123456-12345'
const INFO: RunInfo = {
  version: 1,
  run_id: 'run_20260205-123456-12345',
  parent_run_id: 'run_20260205-123400-1',
  previous_run_id: 'run_20260205-123300-1',
  project_id: 'p',
  task_id: 't',
  agent: 'codex',
  pid: 4711,
  pgid: 4711,
  start_time: '2026-02-05T12:34:56.789Z',
  exit_code: -1,
  status: 'running',
  cwd: '/elsewhere',
  prompt_path: `${FOLDER}/prompt.md`,
  output_path: `${FOLDER}/output.md`,
  stdout_path: `${FOLDER}/agent-stdout.txt`,
  stderr_path: `${FOLDER}/agent-stderr.txt`,
  commandline: 'codex exec',
  start_msg_id: 'MSG-1',
  parent_msg_id: 'MSG-0',
  runner_pid: 4710,
  machine: 'host 1234',
}
const META = {
  agent_type: 'codex',
  pid: 4711,
  pgid: 4711,
  run_dir: FOLDER,
  cwd: '/elsewhere',
  prompt_path: `${FOLDER}/prompt.md`,
  output_path: `${FOLDER}/output.md`,
  stdout_path: `${FOLDER}/agent-stdout.txt`,
  stderr_path: `${FOLDER}/agent-stderr.txt`,
  parent_run_id: 'run_20260205-123400-1',
  previous_run_id: 'run_20260205-123300-1',
  command_line: 'codex exec',
}
const textOf = ({ body }: { body: Uint8Array }) => new TextDecoder().decode(body)

describe('the entries of a run', () => {
  it('say that it starts, what it is and whose child', () => {
    const entry = startEntry(INFO)
    expect(entry).toMatchObject({ type: 'START', project_id: 'p', task_id: 't', run_id: INFO.run_id })
    expect(entry.parents).toEqual([{ msg_id: 'MSG-0', kind: 'child_of' }])
    expect(entry.links?.[0]).toEqual({ kind: 'output', path: `${FOLDER}/output.md`, run_id: INFO.run_id, task_id: 't' })
    expect(entry.meta).toEqual({ ...META, status: 'running' })
    expect(textOf(entry)).toBe('codex starts as process 4711.')
  })

  it('say how it ended, after which start', () => {
    const entry = endEntry({ ...INFO, status: 'completed', exit_code: 0, duration_ms: 61_000 })
    expect(entry).toMatchObject({ type: 'STOP', parents: [{ msg_id: 'MSG-1' }] })
    expect(entry.meta).toEqual({ ...META, status: 'completed', exit_code: 0, duration_ms: 61_000 })
    expect(textOf(entry)).toBe('codex completed after 1m 1s.')
  })

  it.each([
    [{ status: 'failed', exit_code: 3, duration_ms: 1_000 }, 'codex failed with exit code 3 after 1s.'],
    [{ status: 'killed', exit_code: 137, signal: 'SIGKILL' }, 'codex was killed by SIGKILL.'],
    [{ status: 'failed', exit_code: 126, failure: 'E2BIG' }, 'codex could not be started (E2BIG).'],
  ] as const)('call %j a crash', (change, text) => {
    const entry = endEntry({ ...INFO, ...change })
    expect(entry).toMatchObject({ type: 'CRASH', meta: { status: change.status, exit_code: change.exit_code } })
    expect(textOf(entry)).toBe(text)
  })

  it('say of a lost run only what is known', () => {
    const lost: RunInfo = { ...INFO, status: 'lost' }
    expect(endEntry(lost)).toMatchObject({ type: 'CRASH', meta: { status: 'lost' } })
    expect(endEntry(lost).meta).not.toHaveProperty('exit_code')
    expect(endEntry(lost, true).meta).toMatchObject({ pid_alive: true })
    expect(textOf(endEntry(lost, true))).toContain('Its process 4711 is still running.')
    expect(textOf(endEntry(lost, false))).toContain('Its process 4711 is gone too.')
  })
})
