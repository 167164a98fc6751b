import { join } from 'node:path'
import { PosternError } from '../../model/errors.ts'
import type { Config } from './config.ts'
import { HOME_FILE } from './config-file.ts'

/** Where `postern serve` listens, and under which further names it is known. */
export interface ServerSettings {
  readonly host: string
  readonly port: number
  /** Names in `Host` and `Origin` beside those of this machine, such as a proxy's. */
  readonly names: readonly string[]
}

const DEFAULT_SERVER: ServerSettings = { host: '127.0.0.1', port: 4747, names: [] }

const LAST_PORT = 65_535

/** The settings of the configuration, over the defaults. */
export function readServerSettings({ server, home }: Pick<Config, 'server' | 'home'>): ServerSettings {
  const fault = findFault(server)
  if (fault !== undefined) throw new PosternError('CONFIG_INVALID', { path: join(home, HOME_FILE), reason: fault })
  return { ...DEFAULT_SERVER, ...server }
}

function findFault(settings: Readonly<Record<string, unknown>>): string | undefined {
  const unknown = Object.keys(settings).find((name) => !Object.hasOwn(DEFAULT_SERVER, name))
  if (unknown !== undefined) return `"server.${unknown}" is not a setting`
  const { host, port, names } = { ...DEFAULT_SERVER, ...settings } as Record<string, unknown>
  if (typeof host !== 'string' || host === '') return '"server.host" is not an address'
  if (!isPort(port)) return `"server.port" is not a port from 0 to ${LAST_PORT}`
  const areNames = Array.isArray(names) && names.every((name) => typeof name === 'string' && name !== '')
  return areNames ? undefined : '"server.names" is not a list of names'
}

export function isPort(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_PORT
}
