import { dirname, isAbsolute, join, resolve } from 'node:path'
import { hidePassword } from '../../kit/pure/passwords.ts'
import { PosternError } from '../../model/errors.ts'
import { DEFAULT_LIMITS, type Limits } from '../../model/limits.ts'
import { GROUPS, type Group, HOME_FILE, type Layer, projectLayer, readLayer } from './config-file.ts'
import type { GateSetting } from './gates.ts'

/** Everything that can be set, after flags, environment, files and defaults have been weighed. */
export interface Config {
  readonly home: string
  /** A path to a SQLite file, or a `postgres://` URL. */
  readonly store: string
  /** The server that is asked instead of the store; null where there is none. */
  readonly url: string | null
  readonly limits: Limits
  /** Gates of every session and commands in the chain, as they are written: `readHookConfig` understands them. */
  readonly gates: Readonly<Record<string, GateSetting>>
  readonly hooks: readonly unknown[]
  /** Where a server listens, as it is written: `readServerSettings` understands it. */
  readonly server: Readonly<Record<string, unknown>>
  /** Where buses lie, as it is written: `readBusSettings` understands it. */
  readonly bus: Readonly<Record<string, unknown>>
  /** How sessions leave things for each other, as it is written: `readHandoffSettings` understands it. */
  readonly handoff: Readonly<Record<string, unknown>>
  /** What rings other machines, as it is written: `readWireSettings` understands it. */
  readonly wire: Readonly<Record<string, unknown>>
  /** Which ledger it is and how it is used, as it is written: `readLedgerSettings` understands it. */
  readonly ledger: Readonly<Record<string, unknown>>
  /** Where each value came from, by its dotted name. */
  readonly origins: Readonly<Record<string, string>>
}

export interface ConfigSources {
  readonly flags: { readonly home?: string; readonly store?: string; readonly url?: string; readonly wire?: string }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

export const STORE_FILE = 'postern.db'

/** Where our own files lie. It depends on no file, so that it is known whatever is wrong with those. */
export function findHome({ flags, env, cwd }: ConfigSources): string {
  return resolve(cwd, flags.home ?? nonEmpty(env['POSTERN_HOME']) ?? join(userHome(), '.postern'))
}

/** Loaded on use: whoever comes through the launcher is told the home. */
function userHome(): string {
  return process.getBuiltinModule('node:os').homedir()
}

/** Flags come before the environment, that before the project's file, that before the user's, that before defaults. */
export function readConfig({ flags, env, cwd }: ConfigSources): Config {
  const home = findHome({ flags, env, cwd })
  const layers = [projectLayer(cwd, home), readLayer(`${home}/${HOME_FILE}`)]
  const origins: Record<string, string> = { home: origin(flags.home, '--home', env['POSTERN_HOME'], 'POSTERN_HOME') }

  const named = flags.store ?? nonEmpty(env['POSTERN_STORE'])
  const fromFile = layers.find(({ content }) => content.store !== undefined)
  origins['store'] = named
    ? origin(flags.store, '--store', env['POSTERN_STORE'], 'POSTERN_STORE')
    : (fromFile?.origin ?? 'default')
  const store = named ?? fromFile?.content.store ?? `${home}/${STORE_FILE}`
  const { url, from } = findUrl({ flags, env, cwd }, layers)
  origins['url'] = from

  return Object.freeze({
    home,
    store: parseStore(store, named ? cwd : dirname(fromFile?.origin ?? home)),
    url,
    limits: mergeLimits(layers, origins),
    hooks: layers.flatMap(({ content }) => content.hooks ?? []),
    ...mergeGroups([...namedLayers({ flags, env, cwd }), ...layers], origins),
    origins,
  })
}

/**
 * A server and a store are two answers to one question: the first source that gives either decides, and a server counts
 * before a store in the same one.
 */
function findUrl({ flags, env }: ConfigSources, layers: readonly Layer[]): { url: string | null; from: string } {
  if (flags.url !== undefined && flags.store !== undefined) {
    const message = '--url and --store exclude each other.'
    throw new PosternError('USAGE', { message, next: 'Name the server, or the store.' })
  }
  const sources = [
    { from: '--url', url: flags.url, store: flags.store },
    { from: 'POSTERN_URL', url: nonEmpty(env['POSTERN_URL']), store: nonEmpty(env['POSTERN_STORE']) },
    ...layers.map(({ origin: from, content: { url, store } }) => ({ from, url, store })),
  ]
  const first = sources.find(({ url, store }) => url !== undefined || store !== undefined)
  return first?.url === undefined ? { url: null, from: 'default' } : { url: first.url, from: first.from }
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

/** A project's word counts before the user's. */
function mergeGroups(layers: readonly Layer[], origins: Record<string, string>): Pick<Config, Group> {
  const merged = GROUPS.map((group) => {
    const settings: Record<string, unknown> = {}
    for (const { content, origin: from } of layers.toReversed()) {
      Object.assign(settings, content[group])
      for (const name of Object.keys(content[group] ?? {})) origins[`${group}.${name}`] = from
    }
    return [group, settings]
  })
  return Object.fromEntries(merged)
}

/** What flags and environment say of groups. */
function namedLayers({ flags, env, cwd }: ConfigSources): readonly Layer[] {
  const [root, wire] = [env['POSTERN_BUS_ROOT'], env['POSTERN_WIRE']]
  return [
    { origin: '--wire', content: flags.wire === undefined ? {} : { wire: { url: flags.wire } } },
    { origin: 'POSTERN_WIRE', content: wire ? { wire: { url: wire } } : {} },
    { origin: 'POSTERN_BUS_ROOT', content: root ? { bus: { root: resolve(cwd, root) } } : {} },
  ]
}

export function isPostgres(store: string): boolean {
  return store.startsWith('postgres://') || store.startsWith('postgresql://')
}

/** A relative path means the folder of whoever named it: the working folder for a flag, its own for a file. */
function parseStore(store: string, base: string): string {
  if (isPostgres(store) || isAbsolute(store)) return store
  if (/^[a-z][a-z0-9+.-]*:/i.test(store)) throw new PosternError('STORE_URL_INVALID', { store: hidePassword(store) })
  return resolve(base, store)
}

function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value
}

function origin(flag: string | undefined, flagName: string, value: string | undefined, name: string): string {
  if (flag !== undefined) return flagName
  return nonEmpty(value) === undefined ? 'default' : name
}
