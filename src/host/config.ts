import { dirname, isAbsolute, join, resolve } from 'node:path'
import { hidePassword } from '../kit/pure/passwords.ts'
import { PosternError } from '../model/errors.ts'
import { DEFAULT_LIMITS, type Limits } from '../model/limits.ts'
import { HOME_FILE, type Layer, projectLayer, readLayer } from './config-file.ts'
import type { GateSetting } from './session-gates.ts'

/** Everything that can be set, after flags, environment, files and defaults have been weighed. */
export interface Config {
  readonly home: string
  /** A path to a SQLite file, or a `postgres://` URL. */
  readonly store: string
  readonly limits: Limits
  /** Gates of every session and commands in the chain, as they are written: `readHookConfig` understands them. */
  readonly gates: Readonly<Record<string, GateSetting>>
  readonly hooks: readonly unknown[]
  /** Where each value came from, by its dotted name. */
  readonly origins: Readonly<Record<string, string>>
}

export interface ConfigSources {
  readonly flags: { readonly home?: string; readonly store?: string }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

const STORE_FILE = 'postern.db'

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
  const layers = [projectLayer(cwd, home), readLayer(join(home, HOME_FILE))]
  const origins: Record<string, string> = { home: origin(flags.home, '--home', env['POSTERN_HOME'], 'POSTERN_HOME') }

  const named = flags.store ?? nonEmpty(env['POSTERN_STORE'])
  const fromFile = layers.find(({ content }) => content.store !== undefined)
  origins['store'] = named
    ? origin(flags.store, '--store', env['POSTERN_STORE'], 'POSTERN_STORE')
    : (fromFile?.origin ?? 'default')
  const store = named ?? fromFile?.content.store ?? join(home, STORE_FILE)

  return Object.freeze({
    home,
    store: parseStore(store, named ? cwd : dirname(fromFile?.origin ?? home)),
    limits: mergeLimits(layers, origins),
    gates: mergeGates(layers, origins),
    hooks: layers.flatMap(({ content }) => content.hooks ?? []),
    origins,
  })
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

/** A project's word on a gate counts before the user's. */
function mergeGates(layers: readonly Layer[], origins: Record<string, string>): Record<string, GateSetting> {
  const merged: Record<string, GateSetting> = {}
  for (const { content, origin: from } of layers.toReversed()) {
    for (const [name, setting] of Object.entries(content.gates ?? {})) {
      merged[name] = setting
      origins[`gates.${name}`] = from
    }
  }
  return merged
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
