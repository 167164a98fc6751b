import { join } from 'node:path'
import type { BusShelf } from '../../bus/bus-shelf.ts'
import { locate } from '../../bus/files/places.ts'
import { findStart } from '../../bus/runs/find-entries.ts'
import { type ClosedRun, closeLostRuns } from '../../bus/runs/lost-runs.ts'
import { type EndedRun, type OpenRun, openRun } from '../../bus/runs/open-run.ts'
import { idBefore } from '../../bus/runs/run-id.ts'
import { readRunInfo } from '../../bus/runs/run-info.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { isBusId, parseBusId, parsePlace } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'
import type { BusSettings } from '../config/bus.ts'
import type { BusContext } from './bus-context.ts'

export type { ClosedRun, EndedRun, OpenRun }

export interface RunToStart {
  readonly context: BusContext
  readonly env: Readonly<Record<string, string | undefined>>
  readonly agentType: string
  readonly words: readonly string[]
  readonly cwd: string
  readonly hasPrompt: boolean
  readonly previousRunId: string | undefined
}

export interface StartedRun {
  readonly run: OpenRun
  readonly place: Required<BusPlace>
  /** Runs of the task whose end nobody had told before. */
  readonly closed: readonly ClosedRun[]
  close(): void
}

/** Prepares a run on the bus of a task, after having told the end of those that nobody looks after any more. */
export async function startRun(settings: BusSettings, start: RunToStart): Promise<StartedRun> {
  const { context, env, agentType, words, cwd, hasPrompt } = start
  const { project_id, task_id } = parsePlace(context.place)
  if (task_id === undefined) throw new PosternError('BUS_UNNAMED')
  const previousRunId = start.previousRunId === undefined ? undefined : parseBusId('run_id', start.previousRunId)
  const places = { ...settings, files: context.files }
  // With what reads and writes the files, which few commands need.
  const { shelf } = (await import('./bus-registry.ts')).openBusRegistry({ bus: places })
  try {
    const location = locate(places, { project_id, task_id })
    const closed = await closeLostRuns(shelf, location)
    const parentRunId = isBusId(env['JRUN_ID']) ? env['JRUN_ID'] : undefined
    const parentStartId = parentRunId === undefined ? undefined : await startOfParent(shelf, parentRunId, env)
    const run = await openRun({
      ...{ shelf, location, taskId: task_id, agentType, words, cwd, hasPrompt },
      ...{ previousRunId, parentRunId, parentStartId },
    })
    return { run, place: { project_id, task_id }, closed, close: () => shelf.close() }
  } catch (error) {
    shelf.close()
    throw error
  }
}

/** From its folder, where it is one of ours; else from its bus. Undefined where neither tells. */
async function startOfParent(shelf: BusShelf, runId: string, env: RunToStart['env']): Promise<string | undefined> {
  const { JRUN_RUN_FOLDER: folder, JRUN_PROJECT_ID: project_id, JRUN_TASK_ID: task_id } = env
  const info = folder ? readRunInfo(join(folder, 'run-info.yaml')) : undefined
  if (info?.run_id === runId && info.start_msg_id !== undefined) return info.start_msg_id
  if (!isBusId(project_id) || !isBusId(task_id)) return undefined
  return findStart(shelf, { project_id, task_id }, runId, idBefore(runId)).catch(() => undefined)
}
