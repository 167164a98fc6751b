import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hidePassword } from '../../kit/pure/passwords.ts'
import { isAgentId } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import { NATS_FOLDER, NATS_URL_FILE } from '../../model/wires/nats-home.ts'
import type { Config } from './config.ts'
import { HOME_FILE } from './config-file.ts'

/** What rings other machines. */
export interface WireSettings {
  /** `nats://`, `tls://`, `redis://` or `rediss://`; null where none is set. */
  readonly url: string | null
  /** Agents whose messages others take from lists in Redis. */
  readonly redisOut: readonly string[]
  /** How long such a list may become. */
  readonly redisOutMax: number
  /** Addresses, `host:port`, that a courier may nudge beside those of this machine. */
  readonly nudge: readonly string[]
}

const DEFAULT_WIRE: WireSettings = { url: null, redisOut: [], redisOutMax: 1_000, nudge: [] }
/** No inbox holds more by default, and the server goes through the whole list whenever something was popped. */
const LARGEST_LIST = 10_000
/** A host and its port. */
export const ADDRESS = /^[^\s:/@]+:\d{1,5}$|^\[[0-9a-f:.]+\]:\d{1,5}$/i

/** What a configuration says of wires; apart from the rest, because few commands need it. */
export function readWireSettings({ wire, origins, home }: Pick<Config, 'wire' | 'origins' | 'home'>): WireSettings {
  for (const [name, value] of Object.entries(wire)) {
    const fault = Object.hasOwn(FAULTS, name) ? FAULTS[name as keyof WireSettings](value) : 'is not a setting'
    if (fault === undefined) continue
    const path = origins[`wire.${name}`] ?? join(home, HOME_FILE)
    throw new PosternError('CONFIG_INVALID', { path, reason: `"wire.${name}" ${fault}` })
  }
  const settings = { ...DEFAULT_WIRE, ...wire }
  if (settings.url !== null) parseWireUrl(settings.url)
  return settings
}

const FAULTS: Readonly<Record<keyof WireSettings, (value: unknown) => string | undefined>> = {
  url: (value) => (typeof value === 'string' ? undefined : 'is not text'),
  redisOut: (value) => (isList(value, isAgentId) ? undefined : 'is not a list of agents'),
  redisOutMax: (value) =>
    Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= LARGEST_LIST
      ? undefined
      : `is not a whole number from 1 to ${LARGEST_LIST}`,
  nudge: (value) => (isList(value, (item) => ADDRESS.test(item)) ? undefined : 'is not a list of "host:port"'),
}

function isList(value: unknown, isGood: (item: string) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && isGood(item))
}

export type Engine = 'nats' | 'redis'

const ENGINES: Readonly<Record<string, Engine>> = {
  'nats:': 'nats',
  'tls:': 'nats',
  'redis:': 'redis',
  'rediss:': 'redis',
}

/** Which engine a URL names. Of NATS there may be several with commas between, the servers of one cluster. */
export function parseWireUrl(url: string): Engine {
  const engines = url.split(',').map((part) => {
    const parsed = URL.canParse(part) ? new URL(part) : undefined
    return parsed?.hostname ? ENGINES[parsed.protocol] : undefined
  })
  const [engine] = engines
  if (
    engine !== undefined &&
    engines.every((other) => other === engine) &&
    (engine === 'nats' || engines.length === 1)
  ) {
    return engine
  }
  throw new PosternError('WIRE_URL_INVALID', { url: hidePassword(url) })
}

/** The wire that is set, or else the one that a server of this home has started; null where there is neither. */
export function findWireUrl(config: Pick<Config, 'wire' | 'origins' | 'home'>): string | null {
  return readWireSettings(config).url ?? readOwnUrl(config.home)
}

/** It holds a token, so only a file of our own that nobody else can read or write counts. */
function readOwnUrl(home: string): string | null {
  const path = join(home, NATS_FOLDER, NATS_URL_FILE)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.uid !== (process.getuid?.() ?? stat.uid) || (stat.mode & 0o077) !== 0) return null
  const url = readFileSync(path, 'utf8').trim()
  return URL.canParse(url) && ENGINES[new URL(url).protocol] === 'nats' ? url : null
}
