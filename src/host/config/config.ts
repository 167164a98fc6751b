import { dirname, isAbsolute, join, resolve } from 'node:path'
import { hidePassword } from '../../kit/pure/passwords.ts'
import { PosternError } from '../../model/errors.ts'
import { DEFAULT_LIMITS, type Limits } from '../../model/limits.ts'
import { type GroupName, HOME_FILE, type Layer, projectLayer, readLayer } from './config-file.ts'
import type { Group, WrittenSettings } from './group.ts'
import { type Environment, readVariable, VARIABLES } from './variables.ts'

/** The effective configuration. Flags win over the environment, then the project's file, the user's file and defaults. */
export interface Config {
  readonly home: string
  /** A path to a SQLite file, or a `postgres://` URL. */
  readonly store: string
  /** The server to connect to instead of opening the store; null if there is none. */
  readonly url: string | null
  readonly limits: Limits
  readonly origins: Origins
  /** The settings of a group, such as `config.get(BUS)`. They are parsed on first use; a wrong value throws then. */
  get<T>(group: Group<T>): T
  /** What is set, and where, before it is parsed. */
  readonly written: WrittenSettings
  /** The same configuration with another wire. */
  withWire(url: string): Config
}

/** The origins of the values that decide which store is used. */
export interface Origins {
  readonly home: string
  readonly store: string
  readonly url: string
}

export interface ConfigSources {
  readonly flags: { readonly home?: string; readonly store?: string; readonly url?: string; readonly wire?: string }
  readonly env: Environment
  readonly cwd: string
}

/** Everything that a configuration is made from. The first layer wins. */
export interface ConfigParts extends ConfigSources {
  readonly home: string
  readonly layers: readonly Layer[]
}

export const STORE_FILE = 'postern.db'

/** The folder of Postern's own files. It depends on no file, so it is known even if a configuration file is broken. */
export function findHome({ flags, env, cwd }: ConfigSources): string {
  requireNamed(flags, 'home')
  return resolve(cwd, flags.home ?? readVariable(env, 'home') ?? join(userHome(), '.postern'))
}

/** Loads `node:os` on use: the launcher sets POSTERN_HOME, so hooks never need it. */
function userHome(): string {
  return process.getBuiltinModule('node:os').homedir()
}

export function readConfig(sources: ConfigSources): Config {
  const home = findHome(sources)
  return createConfig({
    ...sources,
    home,
    layers: [projectLayer(sources.cwd, home), readLayer(`${home}/${HOME_FILE}`)],
  })
}

/** A configuration in which nothing is set. */
export function defaultConfig(): Config {
  return createConfig({ flags: {}, env: {}, cwd: '/', home: '/', layers: [] })
}

export function createConfig(parts: ConfigParts): Config {
  const { home, layers } = parts
  const { store, storeOrigin } = findStore(parts)
  const { url, urlOrigin } = findUrl(parts)
  const written = createWritten(parts)
  const parsed = new Map<Group<unknown>, unknown>()
  let limits: Limits | undefined
  return {
    home,
    store,
    url,
    origins: { home: nameOrigin(parts, 'home') ?? 'default', store: storeOrigin, url: urlOrigin },
    get limits() {
      limits ??= mergeLimits(layers)
      return limits
    },
    get<T>(group: Group<T>): T {
      if (!parsed.has(group)) parsed.set(group, group.parse(written))
      return parsed.get(group) as T
    },
    written,
    withWire: (wire) => createConfig({ ...parts, flags: { ...parts.flags, wire } }),
  }
}

function createWritten({ flags, env, cwd, home, layers }: ConfigParts): WrittenSettings {
  const groupIn = ({ content }: Layer, group: GroupName): Readonly<Record<string, unknown>> => content[group] ?? {}
  return {
    home,
    keys: (group) => [...new Set(layers.toReversed().flatMap((layer) => Object.keys(groupIn(layer, group))))],
    find(group, key, { flag, variable } = {}) {
      const named = flag && flags[flag]
      if (named !== undefined) return { value: named, origin: `--${flag}`, folder: cwd }
      const set = variable && env[variable]
      if (set) return { value: set, origin: variable, folder: cwd }
      const layer = layers.find((each) => Object.hasOwn(groupIn(each, group), key))
      return layer && { value: groupIn(layer, group)[key], origin: layer.origin, folder: dirname(layer.origin) }
    },
    list: (name) => layers.flatMap(({ content, origin }) => (content[name] ?? []).map((value) => ({ value, origin }))),
  }
}

function findStore(parts: ConfigParts): { store: string; storeOrigin: string } {
  const { flags, env, cwd, home, layers } = parts
  requireNamed(flags, 'store')
  const named = flags.store ?? readVariable(env, 'store')
  if (named !== undefined) return { store: parseStore(named, cwd), storeOrigin: nameOrigin(parts, 'store') ?? '' }
  const layer = layers.find(({ content }) => content.store !== undefined)
  return {
    store: parseStore(layer?.content.store ?? `${home}/${STORE_FILE}`, dirname(layer?.origin ?? home)),
    storeOrigin: layer?.origin ?? 'default',
  }
}

/**
 * A configuration uses a server or a store. The first source that names either decides. Within one source, a server
 * wins over a store.
 */
function findUrl({ flags, env, layers }: ConfigParts): { url: string | null; urlOrigin: string } {
  if (flags.url !== undefined && flags.store !== undefined) {
    const message = 'A server (--url) and a store (--store) exclude each other.'
    throw new PosternError('USAGE', { message, next: 'Name the server, or the store.' })
  }
  const sources = [
    { from: '--url', url: flags.url, store: flags.store },
    { from: VARIABLES.url, url: readVariable(env, 'url'), store: readVariable(env, 'store') },
    ...layers.map(({ origin: from, content: { url, store } }) => ({ from, url, store })),
  ]
  const first = sources.find(({ url, store }) => url !== undefined || store !== undefined)
  return first?.url === undefined ? { url: null, urlOrigin: 'default' } : { url: first.url, urlOrigin: first.from }
}

/** An empty value is usually an unset shell variable. It must not silently mean the working folder. */
function requireNamed(flags: ConfigSources['flags'], name: 'home' | 'store'): void {
  if (flags[name] !== '') return
  throw new PosternError('USAGE', { message: `The ${name} is empty.`, next: 'Name one, or leave it out.' })
}

/** Undefined if neither a flag nor the environment names it. */
function nameOrigin({ flags, env }: ConfigSources, name: 'home' | 'store'): string | undefined {
  if (flags[name] !== undefined) return `--${name}`
  return readVariable(env, name) === undefined ? undefined : VARIABLES[name]
}

/** Merges the limits of all files, which were checked when the files were read. */
function mergeLimits(layers: readonly Layer[]): Limits {
  return Object.assign({ ...DEFAULT_LIMITS }, ...layers.toReversed().map(({ content }) => content.limits))
}

export function isPostgres(store: string): boolean {
  return store.startsWith('postgres://') || store.startsWith('postgresql://')
}

function parseStore(store: string, folder: string): string {
  if (isPostgres(store) || isAbsolute(store)) return store
  if (/^[a-z][a-z0-9+.-]*:/i.test(store)) throw new PosternError('STORE_URL_INVALID', { store: hidePassword(store) })
  return resolve(folder, store)
}
