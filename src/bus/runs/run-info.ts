import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'

export const RUN_STATUSES = ['running', 'completed', 'failed', 'killed', 'lost'] as const
export type RunStatus = (typeof RUN_STATUSES)[number]

/** What stands in `run-info.yaml`, under the names that other runners of the seed use for it; below are those of ours. */
export interface RunInfo {
  readonly version: number
  readonly run_id: string
  readonly parent_run_id?: string
  readonly previous_run_id?: string
  readonly project_id: string
  readonly task_id: string
  readonly agent: string
  /** Absent where no process could be made. */
  readonly pid?: number
  readonly pgid?: number
  readonly start_time: string
  readonly end_time?: string
  /** -1 while it is not known. */
  readonly exit_code: number
  readonly status: RunStatus
  readonly cwd: string
  readonly prompt_path?: string
  readonly output_path: string
  readonly stdout_path: string
  readonly stderr_path: string
  readonly commandline: string

  readonly signal?: string
  /** Why it could not be started. */
  readonly failure?: string
  readonly duration_ms?: number
  readonly start_msg_id?: string
  /** The START entry of the run that this one was started by. */
  readonly parent_msg_id?: string
  /** Moments by which processes are told from others of their number; see `ProcessId`. */
  readonly pid_started_ms?: number
  readonly runner_pid: number
  readonly runner_started_ms?: number
  readonly machine: string
}

const TEXTS = {
  run_id: true,
  parent_run_id: false,
  previous_run_id: false,
  project_id: true,
  task_id: true,
  agent: true,
  start_time: true,
  end_time: false,
  status: true,
  cwd: true,
  prompt_path: false,
  output_path: true,
  stdout_path: true,
  stderr_path: true,
  commandline: true,
  signal: false,
  failure: false,
  start_msg_id: false,
  parent_msg_id: false,
  machine: true,
} as const

const NUMBERS = {
  version: true,
  pid: false,
  pgid: false,
  exit_code: true,
  duration_ms: false,
  pid_started_ms: false,
  runner_pid: true,
  runner_started_ms: false,
} as const

/** What YAML takes for the text that it is, without quotes. */
const PLAIN = /^(?:(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z/][\w./+-]*|\d{4}-\d\d-\d\dT[\d:.]+Z)$/i
const NUMBER = /^-?\d{1,15}$/
const MAX_BYTES = 64 * 1024

/** A flat mapping: one line for each field. Text in double quotes is JSON, which is YAML too. */
export function formatRunInfo(info: RunInfo): string {
  return Object.entries(info)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${typeof value === 'number' || PLAIN.test(value) ? value : quote(value)}\n`)
    .join('')
}

/** What JSON leaves raw although some take it for the end of a line. */
function quote(text: string): string {
  return JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Undefined where it is not as we write it: then it is not ours to judge. */
export function parseRunInfo(text: string): RunInfo | undefined {
  const found = new Map<string, string | number>()
  for (const line of text.split('\n')) {
    const [, key, raw] = /^([a-z_]+): (.*)$/.exec(line) ?? []
    if (key === undefined || raw === undefined) continue
    const value = parseValue(raw)
    if (value !== undefined) found.set(key, value)
  }
  const isSound =
    hasAll(found, TEXTS, 'string') &&
    hasAll(found, NUMBERS, 'number') &&
    RUN_STATUSES.some((status) => status === found.get('status'))
  return isSound ? (Object.fromEntries(found) as unknown as RunInfo) : undefined
}

function parseValue(raw: string): string | number | undefined {
  if (NUMBER.test(raw)) return Number(raw)
  if (!raw.startsWith('"')) return raw
  try {
    return String(JSON.parse(raw))
  } catch {
    return undefined
  }
}

/** Whether every field is of its kind, and those that must be there are. */
function hasAll(
  found: ReadonlyMap<string, string | number>,
  fields: Readonly<Record<string, boolean>>,
  kind: 'string' | 'number',
): boolean {
  return Object.entries(fields).every(([key, isNeeded]) => {
    const value = found.get(key)
    return value === undefined ? !isNeeded : typeof value === kind
  })
}

export function readRunInfo(path: string): RunInfo | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    try {
      const stat = fstatSync(fd)
      return stat.isFile() && stat.size <= MAX_BYTES ? parseRunInfo(readFileSync(fd, 'utf8')) : undefined
    } finally {
      closeSync(fd)
    }
  } catch {
    return undefined
  }
}

/** Readers see what stood there before, or all of it. */
export function writeRunInfo(path: string, info: RunInfo): void {
  const partial = `${path}.partial-${process.pid}`
  rmSync(partial, { force: true })
  const fd = openSync(partial, 'wx', 0o600)
  try {
    writeFileSync(fd, formatRunInfo(info))
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(partial, path)
}
