import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { PosternError } from '../../model/errors.ts'
import { DEFAULT_LIMITS, type Limits } from '../../model/limits.ts'
import { readConfigText } from './config-text.ts'
import { isTrusted } from './trust.ts'

/** What a configuration file says. The settings of a group are checked when the group is parsed. */
interface ConfigFile extends Readonly<Partial<Record<GroupName, Readonly<Record<string, unknown>>>>> {
  readonly store?: string
  readonly url?: string
  readonly limits?: Partial<Limits>
  readonly hooks?: readonly unknown[]
}

/** One configuration file: its path and its content. */
export interface Layer {
  readonly origin: string
  readonly content: ConfigFile
}

export const HOME_FILE = 'config.json'
const PROJECT_FILE = 'postern.config.json'

/** The settings that count without trust: how much an agent is shown at once. */
const HARMLESS = ['drainMessages', 'drainCharacters'] as const

/**
 * Reads the project's file. A cloned repository may limit how much its agents are shown. All other settings, such as
 * where messages are stored and for how long, are the user's: they count only after `postern config trust`.
 */
export function projectLayer(cwd: string, home: string): Layer {
  const path = findProjectFile(cwd)
  if (!path) return { origin: PROJECT_FILE, content: {} }
  const text = readConfigText(path)
  const content = parseConfigFile(text, path)
  return { origin: path, content: isTrusted(home, path, text) ? content : harmlessPart(content) }
}

function harmlessPart({ limits = {} }: ConfigFile): ConfigFile {
  const named = HARMLESS.filter((name) => limits[name] !== undefined)
  return { limits: Object.fromEntries(named.map((name) => [name, limits[name]])) }
}

/**
 * Finds the nearest project file that belongs to the user, up to the root of the repository. Every hook does this, so
 * paths are concatenated: Node's `join` would normalise each one again.
 */
export function findProjectFile(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const within = folder.endsWith('/') ? folder : `${folder}/`
    const path = `${within}${PROJECT_FILE}`
    const stat = statSync(path, { throwIfNoEntry: false })
    if (stat && stat.uid === (process.getuid?.() ?? stat.uid)) return path
    if (existsSync(`${within}.git`) || dirname(folder) === folder) return undefined
  }
}

/** Reads a file. A missing one counts as empty. */
export function readLayer(path: string): Layer {
  // The home is the user's own. Many keep such files elsewhere and link to them.
  const read = () => readConfigText(path, { followsLinks: true })
  return { origin: path, content: existsSync(path) ? parseConfigFile(read(), path) : {} }
}

function parseConfigFile(text: string, path: string): ConfigFile {
  const invalid = (reason: string) => new PosternError('CONFIG_INVALID', { path, reason })
  let value: unknown
  try {
    // Some editors begin a file with a byte order mark.
    value = JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw invalid(reasonOf(error))
  }
  if (!isRecord(value)) throw invalid('it is not a JSON object')
  for (const key of Object.keys(value)) if (!SETTINGS.includes(key)) throw invalid(`"${key}" is not a setting`)
  const { store, url, limits = {}, hooks } = value
  if (store !== undefined && (typeof store !== 'string' || store === '')) throw invalid('"store" names no store')
  if (url !== undefined && (typeof url !== 'string' || url === '')) throw invalid('"url" is not an address')
  if (hooks !== undefined && !Array.isArray(hooks)) throw invalid('"hooks" is not a list')
  for (const name of ['limits', ...GROUP_NAMES])
    if (name in value && !isRecord(value[name])) throw invalid(`"${name}" is not an object`)
  for (const [name, limit] of Object.entries(limits as object)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw invalid(`"limits.${name}" is not a limit`)
    if (!Number.isSafeInteger(limit) || (limit as number) < 1)
      throw invalid(`"limits.${name}" is not a positive whole number`)
  }
  return value as ConfigFile
}

/** The groups of settings that a file may hold. Each is declared in the module of its name. */
const GROUP_NAMES = ['gates', 'allow', 'server', 'bus', 'handoff', 'wire', 'ledger'] as const
/** `limits` is a group as well, but it is checked when a file is read. */
export type GroupName = (typeof GROUP_NAMES)[number] | 'limits'
const SETTINGS: readonly string[] = ['store', 'url', 'hooks', 'limits', ...GROUP_NAMES]

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
