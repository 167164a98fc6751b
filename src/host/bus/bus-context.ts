import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { discoverBus } from '../../bus/files/discover.ts'
import { locate, PROJECT_FILE, TASK_FILE } from '../../bus/files/places.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { placeName } from '../../model/bus/place.ts'
import { PosternError } from '../../model/errors.ts'

/** What may tell which bus is meant. */
export interface BusSources {
  readonly flags: { readonly project?: string; readonly task?: string; readonly run?: string }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Where buses lie that nothing says otherwise of. */
  readonly root: string
}

export type BusOrigin = 'named' | 'run' | 'folder'

/** Which bus is meant, and how one knows. */
export interface BusContext {
  readonly place: BusPlace
  /** The run that this process is a part of. */
  readonly runId: string | undefined
  /** Files that lie elsewhere than below the root, by `project` or `project/task`. */
  readonly files: Readonly<Record<string, string>>
  /** How it is known: by its name, by the run that this process is a part of, or by a file in a folder or above it. */
  readonly origin: BusOrigin
}

/**
 * The bus that is meant. What is named by an option comes before the run that this process is a part of, and that before
 * the nearest file from the working folder upwards. A project that is named without a task means its own bus; a task that
 * is named without a project is one of the project that would be meant without it.
 */
export function findBus(sources: BusSources): BusContext | undefined {
  const { flags, env } = sources
  const run = groundOfRun(sources)
  const known = run ?? (flags.project === undefined ? groundOfFolder(sources) : undefined)
  const project_id = flags.project ?? known?.place.project_id
  if (project_id === undefined) return undefined

  const isNamed = flags.project !== undefined || flags.task !== undefined
  const task_id = isNamed ? flags.task : known?.place.task_id
  const place = task_id === undefined ? { project_id } : { project_id, task_id }
  const isOwn = run === undefined || run.place.project_id === project_id
  return {
    place,
    runId: flags.run ?? (isOwn ? runOf(env) : undefined),
    files: known === undefined ? {} : filesElsewhere(known, place, sources.root),
    origin: isNamed || known === undefined ? 'named' : known.origin,
  }
}

/** Fails where it is not clear which bus is meant. */
export function requireBus(sources: BusSources): BusContext {
  const context = findBus(sources)
  if (context === undefined) throw new PosternError('BUS_UNNAMED')
  return context
}

/** Where the bus lies, and whether there is anything yet. */
export function locateBus(
  { place, files }: BusContext,
  root: string,
): { readonly path: string; readonly exists: boolean } {
  const { path } = locate({ root, files }, place)
  return { path, exists: existsSync(path) }
}

/** A bus that is known without being named, and what its neighbours are known by. */
interface Ground {
  readonly place: BusPlace
  /** Its file, where that is known. */
  readonly file: string | undefined
  /** The folder of the project, where it holds those of the tasks. */
  readonly projectFolder: string | undefined
  readonly origin: BusOrigin
}

function groundOfRun({ env, cwd }: BusSources): Ground | undefined {
  const path = (name: string) => (text(env[name]) === undefined ? undefined : resolve(cwd, env[name] ?? ''))
  const runFolder = path('JRUN_RUN_FOLDER')
  // Runs lie in `<task>/runs/<run>`.
  const taskFolder = path('JRUN_TASK_FOLDER') ?? (runFolder && dirname(dirname(runFolder)))
  // Whatever else is named, such as the settings of a shell, is not written to.
  const file = [path('JRUN_MESSAGE_BUS')].find((named) => named?.endsWith('.md'))
  const place = placeOfRun(env, { taskFolder, file })
  if (place === undefined) return undefined

  const { project_id, task_id } = place
  const projectFolder = taskFolder && dirname(taskFolder)
  const isInOrder =
    taskFolder === join(projectFolder ?? '', task_id ?? '') && basename(projectFolder ?? '') === project_id
  const inFolder = taskFolder && task_id !== undefined ? join(taskFolder, TASK_FILE) : undefined
  return {
    place,
    // A run of a task may be told of the bus of its project, which is not its own.
    file: file === undefined || (task_id !== undefined && basename(file) === PROJECT_FILE) ? inFolder : file,
    projectFolder: isInOrder ? projectFolder : undefined,
    origin: 'run',
  }
}

function placeOfRun(
  env: BusSources['env'],
  { taskFolder, file }: { readonly taskFolder: string | undefined; readonly file: string | undefined },
): BusPlace | undefined {
  const [project_id, task_id] = [text(env['JRUN_PROJECT_ID']), text(env['JRUN_TASK_ID'])]
  if (project_id !== undefined) return task_id === undefined ? { project_id } : { project_id, task_id }
  const folder = taskFolder ?? (file && basename(file) === TASK_FILE ? dirname(file) : undefined)
  if (folder) return { project_id: basename(dirname(folder)), task_id: task_id ?? basename(folder) }
  return file === undefined ? undefined : { project_id: basename(dirname(file)) }
}

function groundOfFolder({ cwd }: BusSources): Ground | undefined {
  const found = discoverBus(cwd)
  if (found === undefined) return undefined
  const { place, path } = found
  const folder = dirname(path)
  const projectFolder = { [TASK_FILE]: dirname(folder), [PROJECT_FILE]: folder }[basename(path)]
  return { place, file: path, projectFolder, origin: 'folder' }
}

/** Where a bus and that of its project lie, as far as the ground tells and the root does not. */
function filesElsewhere(ground: Ground, { project_id, task_id }: BusPlace, root: string): Record<string, string> {
  if (ground.place.project_id !== project_id) return {}
  const places = task_id === undefined ? [{ project_id }] : [{ project_id, task_id }, { project_id }]
  return Object.fromEntries(
    places.flatMap((place) => {
      const file = fileOn(ground, place)
      const isInRoot = file === undefined || file === join(resolve(root), placeName(place), fileName(place))
      return isInRoot ? [] : [[placeName(place), file]]
    }),
  )
}

function fileOn({ place, file, projectFolder }: Ground, wanted: BusPlace): string | undefined {
  if (wanted.task_id === place.task_id && file !== undefined) return file
  return projectFolder === undefined ? undefined : join(projectFolder, wanted.task_id ?? '', fileName(wanted))
}

function fileName({ task_id }: BusPlace): string {
  return task_id === undefined ? PROJECT_FILE : TASK_FILE
}

function runOf(env: BusSources['env']): string | undefined {
  return text(env['JRUN_ID']) ?? (text(env['JRUN_RUN_FOLDER']) && basename(env['JRUN_RUN_FOLDER'] ?? ''))
}

function text(value: string | undefined): string | undefined {
  return value || undefined
}
