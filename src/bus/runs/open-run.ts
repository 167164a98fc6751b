import { rmSync } from 'node:fs'
import type { LockFile } from '../../kit/node/lock-file.ts'
import { machineName, processStart } from '../../kit/node/processes.ts'
import { asPosternError, type PosternError } from '../../model/errors.ts'
import type { BusShelf } from '../bus-shelf.ts'
import type { Location } from '../files/places.ts'
import { onFile } from '../files/trouble.ts'
import { exitCodeOf, type RunOutcome, statusOf } from './outcome.ts'
import { formatCommandLine } from './redact.ts'
import { endEntry, startEntry } from './run-entries.ts'
import { makeRunFolder, type RunPaths, runPaths } from './run-folder.ts'
import { type RunInfo, type RunStatus, writeRunInfo } from './run-info.ts'
import { markRunning } from './running.ts'

/** What is to be run, and on which bus it is told. */
export interface RunPlan {
  readonly shelf: BusShelf
  /** Of the bus of a task. */
  readonly location: Location
  readonly taskId: string
  readonly agentType: string
  readonly words: readonly string[]
  readonly cwd: string
  readonly hasPrompt: boolean
  readonly previousRunId: string | undefined
  /** The run that this one is started by, and its START entry. */
  readonly parentRunId: string | undefined
  readonly parentStartId: string | undefined
}

/**
 * A run that has its folder, and is looked after by this process.
 *
 *   open ─begin→ running ─end→ completed, failed, killed
 *     └──abandon→ nothing is left of it            running ─this process dies, the next run of the task notices→ lost
 */
export interface OpenRun {
  readonly id: string
  readonly paths: RunPaths
  /** What the command finds in its environment; undefined: nothing of that name. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Says that it begins; the entry is on the disk when this resolves with its id. Fails where it cannot be written. */
  begin(pid: number | undefined): Promise<string>
  /** Says how it has ended. Where that cannot be written, the next run of the task does it. */
  end(outcome: RunOutcome): Promise<EndedRun>
  /** Takes the folder away, unless it has begun: then the next run of the task tells its end. */
  abandon(): void
}

export interface EndedRun {
  readonly status: RunStatus
  readonly exitCode: number
  readonly msgId: string | null
  /** Why the entry could not be written. */
  readonly fault: PosternError | null
}

const VERSION = 1
const UNKNOWN = -1

export async function openRun(plan: RunPlan): Promise<OpenRun> {
  const { shelf, location } = plan
  const { place, folder } = location
  const now = Date.now()
  const id = makeRunFolder(location, now, process.pid)
  const paths = runPaths(folder, id)
  const mark = await markRunning(folder, id).catch((error: unknown) => {
    rmSync(paths.folder, { recursive: true, force: true })
    throw error
  })
  let info = firstInfo(plan, id, paths, now)
  let isBegun = false
  const note = (change: Partial<RunInfo>) => {
    info = { ...info, ...change }
    onFile(paths.info, () => writeRunInfo(paths.info, info))
  }
  const tryToNote = (change: Partial<RunInfo>) => {
    try {
      note(change)
    } catch {
      // The bus tells it too, and there it counts.
    }
  }

  return {
    id,
    paths,
    env: environment(plan, id, paths),
    async begin(pid) {
      const started = pid === undefined ? undefined : processStart(pid)
      note({ ...(pid !== undefined && { pid, pgid: pid }), ...(started !== undefined && { pid_started_ms: started }) })
      const { msg_id } = await shelf.append(place, startEntry(info))
      isBegun = true
      tryToNote({ start_msg_id: msg_id })
      return msg_id
    },
    async end(outcome) {
      const { signal, failure, durationMs } = outcome
      const status = statusOf(outcome)
      const exitCode = exitCodeOf(outcome)
      // Before the entry: whoever comes after this process, if it dies in between, knows how the run ended.
      tryToNote({
        status,
        exit_code: exitCode,
        end_time: new Date().toISOString(),
        duration_ms: durationMs,
        ...(signal !== null && { signal }),
        ...(failure !== null && { failure }),
      })
      try {
        const { msg_id } = await shelf.append(place, endEntry(info))
        mark.remove()
        return { status, exitCode, msgId: msg_id, fault: null }
      } catch (error) {
        mark.close()
        return { status, exitCode, msgId: null, fault: asPosternError(error) }
      }
    },
    abandon() {
      if (isBegun) mark.close()
      else removeRun(paths, mark)
    },
  }
}

function removeRun({ folder }: RunPaths, mark: LockFile): void {
  try {
    rmSync(folder, { recursive: true, force: true })
  } finally {
    mark.remove()
  }
}

function firstInfo(plan: RunPlan, id: string, paths: RunPaths, now: number): RunInfo {
  const { location, taskId, parentRunId, parentStartId, previousRunId } = plan
  const startedMs = processStart(process.pid)
  return {
    version: VERSION,
    run_id: id,
    ...(parentRunId !== undefined && { parent_run_id: parentRunId }),
    ...(previousRunId !== undefined && { previous_run_id: previousRunId }),
    project_id: location.place.project_id,
    task_id: taskId,
    agent: plan.agentType,
    start_time: new Date(now).toISOString(),
    exit_code: UNKNOWN,
    status: 'running',
    cwd: plan.cwd,
    ...(plan.hasPrompt && { prompt_path: paths.prompt }),
    output_path: paths.output,
    stdout_path: paths.stdout,
    stderr_path: paths.stderr,
    commandline: formatCommandLine(plan.words),
    ...(parentStartId !== undefined && { parent_msg_id: parentStartId }),
    runner_pid: process.pid,
    ...(startedMs !== undefined && { runner_started_ms: startedMs }),
    machine: machineName(),
  }
}

function environment({ location, taskId, parentRunId }: RunPlan, id: string, { folder }: RunPaths): OpenRun['env'] {
  return {
    JRUN_PROJECT_ID: location.place.project_id,
    JRUN_TASK_ID: taskId,
    JRUN_ID: id,
    JRUN_PARENT_ID: parentRunId,
    JRUN_TASK_FOLDER: location.folder,
    JRUN_RUN_FOLDER: folder,
    JRUN_MESSAGE_BUS: location.path,
  }
}
