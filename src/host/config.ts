import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { PosternError } from '../model/errors.ts'
import { DEFAULT_LIMITS, type Limits } from '../model/limits.ts'
import { isTrusted } from './trust.ts'

/** Everything that can be set, after flags, environment, files and defaults have been weighed. */
export interface Config {
  readonly home: string
  /** A path to a SQLite file, or a `postgres://` URL. */
  readonly store: string
  readonly limits: Limits
  /** Where each value came from, by its dotted name. */
  readonly origins: Readonly<Record<string, string>>
}

/** What may stand in a configuration file. */
interface ConfigFile {
  readonly store?: string
  readonly limits?: Partial<Limits>
}

export interface ConfigSources {
  readonly flags: { readonly home?: string; readonly store?: string }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

export const PROJECT_FILE = 'postern.config.json'
export const HOME_FILE = 'config.json'
const STORE_FILE = 'postern.db'

/** Flags come before the environment, that before the project's file, that before the user's, that before defaults. */
export function readConfig({ flags, env, cwd }: ConfigSources): Config {
  const home = resolve(cwd, flags.home ?? nonEmpty(env['POSTERN_HOME']) ?? join(homedir(), '.postern'))
  const layers = [projectLayer(cwd, home), fileLayer(join(home, HOME_FILE))]
  const origins: Record<string, string> = { home: origin(flags.home, '--home', env['POSTERN_HOME'], 'POSTERN_HOME') }

  const named = flags.store ?? nonEmpty(env['POSTERN_STORE'])
  const fromFile = layers.find(({ content }) => content.store !== undefined)
  origins['store'] = named
    ? origin(flags.store, '--store', env['POSTERN_STORE'], 'POSTERN_STORE')
    : (fromFile?.origin ?? 'default')
  const store = named ?? fromFile?.content.store ?? join(home, STORE_FILE)

  return Object.freeze({ home, store: parseStore(store, cwd), limits: mergeLimits(layers, origins), origins })
}

interface Layer {
  readonly origin: string
  readonly content: ConfigFile
}

function mergeLimits(layers: readonly Layer[], origins: Record<string, string>): Limits {
  const limits: Record<string, number> = { ...DEFAULT_LIMITS }
  for (const name of Object.keys(DEFAULT_LIMITS)) {
    const layer = layers.find(({ content }) => content.limits?.[name as keyof Limits] !== undefined)
    const value = layer?.content.limits?.[name as keyof Limits]
    if (value !== undefined) limits[name] = value
    origins[`limits.${name}`] = layer?.origin ?? 'default'
  }
  return limits as unknown as Limits
}

export function isPostgres(store: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(store)
}

function parseStore(store: string, cwd: string): string {
  if (isPostgres(store)) return store
  if (/^[a-z][a-z0-9+.-]*:/i.test(store))
    throw new PosternError('STORE_URL_INVALID', { store: store.replace(/\/\/.*@/, '//…@') })
  return isAbsolute(store) ? store : resolve(cwd, store)
}

/**
 * A cloned repository may set budgets for its agents, but where messages are kept is the user's to say: a store named
 * there counts only after `postern config trust`.
 */
function projectLayer(cwd: string, home: string): Layer {
  const path = findProjectFile(cwd)
  if (!path) return { origin: PROJECT_FILE, content: {} }
  const { content, origin: from } = fileLayer(path)
  if (content.store === undefined || isTrusted(home, path)) return { origin: from, content }
  const { store: _, ...rest } = content
  return { origin: from, content: rest }
}

export function findProjectFile(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, PROJECT_FILE)
    if (existsSync(path)) return path
    if (existsSync(join(folder, '.git')) || dirname(folder) === folder) return undefined
  }
}

function fileLayer(path: string): Layer {
  if (!existsSync(path)) return { origin: path, content: {} }
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new PosternError('CONFIG_INVALID', { path, reason: (error as Error).message })
  }
  return { origin: path, content: parseConfigFile(text, path) }
}

function parseConfigFile(text: string, path: string): ConfigFile {
  const invalid = (reason: string) => new PosternError('CONFIG_INVALID', { path, reason })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw invalid((error as Error).message)
  }
  if (!isRecord(value)) throw invalid('it is not a JSON object')
  for (const key of Object.keys(value))
    if (key !== 'store' && key !== 'limits') throw invalid(`"${key}" is not a setting`)
  const { store, limits } = value
  if (store !== undefined && typeof store !== 'string') throw invalid('"store" is not text')
  if (limits === undefined) return value as ConfigFile
  if (!isRecord(limits)) throw invalid('"limits" is not an object')
  for (const [name, limit] of Object.entries(limits)) {
    if (!(name in DEFAULT_LIMITS)) throw invalid(`"limits.${name}" is not a limit`)
    if (!Number.isSafeInteger(limit) || (limit as number) < 1)
      throw invalid(`"limits.${name}" is not a positive whole number`)
  }
  return value as ConfigFile
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

function origin(flag: string | undefined, flagName: string, value: string | undefined, name: string): string {
  if (flag !== undefined) return flagName
  return nonEmpty(value) === undefined ? 'default' : name
}
