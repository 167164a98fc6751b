import { dirname } from 'node:path'
import { formatDuration } from '../../kit/pure/duration.ts'
import type { BusMeta, BusParent, EntryDraft } from '../../model/bus/entry.ts'
import type { Json } from '../../model/json.ts'
import type { RunInfo } from './run-info.ts'

/** Says that a run begins. A run within another one is its child. */
export function startEntry(info: RunInfo): EntryDraft {
  const { agent, pid, parent_msg_id } = info
  const parents = parent_msg_id === undefined ? [] : [{ msg_id: parent_msg_id, kind: 'child_of' }]
  return draft('START', info, parents, pid === undefined ? `${agent} starts.` : `${agent} starts as process ${pid}.`)
}

/**
 * Says how a run has ended. Of a lost one nobody knows: `isAlive` tells whether its process was still there when it was
 * noticed, where that can be told.
 */
export function endEntry(info: RunInfo, isAlive?: boolean): EntryDraft {
  const parents = info.start_msg_id === undefined ? [] : [{ msg_id: info.start_msg_id }]
  const { status, exit_code, duration_ms, signal, failure } = info
  const isKnown = status !== 'lost'
  return draft(status === 'completed' ? 'STOP' : 'CRASH', info, parents, endText(info, isAlive), {
    exit_code: isKnown ? exit_code : undefined,
    duration_ms,
    signal,
    error: failure,
    pid_alive: isKnown ? undefined : isAlive,
  })
}

function draft(
  type: string,
  info: RunInfo,
  parents: readonly BusParent[],
  body: string,
  ending: Readonly<Record<string, Json | undefined>> = {},
): EntryDraft {
  const { project_id, task_id, run_id } = info
  const link = (kind: string, path: string) => ({ kind, path, run_id, task_id })
  return {
    type,
    project_id,
    task_id,
    run_id,
    ...(parents.length > 0 && { parents }),
    links: [link('output', info.output_path), link('run-info', `${dirname(info.output_path)}/run-info.yaml`)],
    meta: present({
      agent_type: info.agent,
      pid: info.pid,
      pgid: info.pgid,
      run_dir: dirname(info.output_path),
      cwd: info.cwd,
      prompt_path: info.prompt_path,
      output_path: info.output_path,
      stdout_path: info.stdout_path,
      stderr_path: info.stderr_path,
      parent_run_id: info.parent_run_id,
      previous_run_id: info.previous_run_id,
      command_line: info.commandline,
      status: info.status,
      ...ending,
    }),
    body: new TextEncoder().encode(body),
  }
}

function present(meta: Readonly<Record<string, Json | undefined>>): BusMeta {
  return Object.fromEntries(Object.entries(meta).filter((field): field is [string, Json] => field[1] !== undefined))
}

function endText({ agent, status, exit_code, duration_ms, signal, failure, pid }: RunInfo, isAlive?: boolean): string {
  const after = duration_ms === undefined ? '' : ` after ${formatDuration(duration_ms)}`
  if (status === 'completed') return `${agent} completed${after}.`
  if (status === 'killed') return `${agent} was killed by ${signal}${after}.`
  if (failure !== undefined) return `${agent} could not be started (${failure}).`
  if (status === 'failed') return `${agent} failed with exit code ${exit_code}${after}.`
  const process = isAlive === undefined ? '' : ` Its process ${pid} ${isAlive ? 'is still running' : 'is gone too'}.`
  return `The runner of ${agent} is gone, so nobody knows how the run ended.${process}`
}
