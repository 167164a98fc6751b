import { lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../kit/node/file-trouble.ts'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { requirePlainFolders } from '../files/open-file.ts'
import type { Location } from '../files/places.ts'
import { onFile } from '../files/trouble.ts'
import { formatRunId } from './run-id.ts'

/** Where a run keeps its things, under the names that other runners of the seed use too. */
export interface RunPaths {
  readonly folder: string
  readonly info: string
  readonly prompt: string
  readonly output: string
  readonly stdout: string
  readonly stderr: string
}

const RUNS = 'runs'
const PRIVATE = 0o700
/** Only another machine can have made a run of the same second and the same process number. */
const MAX_TRIES = 100

export function runPaths(taskFolder: string, runId: string): RunPaths {
  const folder = join(taskFolder, RUNS, runId)
  return {
    folder,
    info: join(folder, 'run-info.yaml'),
    prompt: join(folder, 'prompt.md'),
    output: join(folder, 'output.md'),
    stdout: join(folder, 'agent-stdout.txt'),
    stderr: join(folder, 'agent-stderr.txt'),
  }
}

/** Whether a run has its folder there, and no link leads to it. */
export function isRunFolder({ folder }: Location, runId: string): boolean {
  const runs = join(folder, RUNS)
  return [runs, join(runs, runId)].every((each) => lstatSync(each, { throwIfNoEntry: false })?.isDirectory())
}

/** Makes the folder of a new run, which nobody else has, and with it the run's id. */
export function makeRunFolder({ folder, owned }: Location, at: number, pid: number): string {
  const runs = join(folder, RUNS)
  return onFile(runs, () => {
    requirePlainFolders([...owned, runs])
    makePrivateFolder(runs)
    for (let number = 1; ; number++) {
      const id = number === 1 ? formatRunId(at, pid) : `${formatRunId(at, pid)}-${number}`
      try {
        mkdirSync(join(runs, id), PRIVATE)
        return id
      } catch (error) {
        if (codeOf(error) !== 'EEXIST' || number === MAX_TRIES) throw error
      }
    }
  })
}
