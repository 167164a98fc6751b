import { lstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hidePassword } from '../../kit/pure/passwords.ts'
import { isAgentId } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import { NATS_FOLDER, NATS_URL_FILE } from '../../model/wires/nats-home.ts'
import type { Config } from './config.ts'
import { defineGroup } from './group.ts'

/** The wire to other machines, and what uses it. */
export interface WireSettings {
  /** `nats://`, `tls://`, `redis://` or `rediss://`; null if none is set. */
  readonly url: string | null
  /** Agents whose messages foreign consumers pop from lists in Redis. */
  readonly redisOut: readonly string[]
  /** The most entries that such a list may have. */
  readonly redisOutMax: number
  /** Addresses, `host:port`, that a courier may nudge besides those of this machine. */
  readonly nudge: readonly string[]
}

const DEFAULT_LIST = 1_000
/** The default limit of an inbox. The server may read a whole list after something was popped, so it must stay small. */
const LARGEST_LIST = 10_000
/** A host and its port. */
export const ADDRESS = /^[^\s:/@]+:\d{1,5}$|^\[[0-9a-f:.]+\]:\d{1,5}$/i

export const WIRE = defineGroup<WireSettings>('wire', {
  url: {
    flag: 'wire',
    variable: 'POSTERN_WIRE',
    default: 'the NATS server that `postern serve --nats-server` runs for this home, else none',
    help: '`nats://`, `tls://`, `redis://` or `rediss://`; several NATS servers with commas between',
    parse(value, place) {
      if (value === undefined) return null
      if (typeof value !== 'string') throw place.fault('is not text')
      parseWireUrl(value)
      return value
    },
  },
  redisOut: {
    default: 'none',
    help: 'agents whose messages foreign consumers pop from lists in Redis; the lists of all others are taken over',
    parse(value = [], place) {
      if (!isListOf(value, isAgentId)) throw place.fault('is not a list of agents')
      return value
    },
  },
  redisOutMax: {
    default: String(DEFAULT_LIST),
    help: `how many entries such a list may have, up to ${LARGEST_LIST}`,
    parse(value = DEFAULT_LIST, place) {
      const isCount = typeof value === 'number' && Number.isSafeInteger(value)
      if (isCount && value >= 1 && value <= LARGEST_LIST) return value
      throw place.fault(`is not a whole number from 1 to ${LARGEST_LIST}`)
    },
  },
  nudge: {
    default: 'none',
    help: 'addresses, `host:port`, that a courier may nudge beside those of its own machine',
    parse(value = [], place) {
      if (!isListOf(value, (item) => ADDRESS.test(item))) throw place.fault('is not a list of "host:port"')
      return value
    },
  },
})

function isListOf(value: unknown, isGood: (item: string) => boolean): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string' && isGood(item))
}

export type Engine = 'nats' | 'redis'

const ENGINES: Readonly<Record<string, Engine>> = {
  'nats:': 'nats',
  'tls:': 'nats',
  'redis:': 'redis',
  'rediss:': 'redis',
}

/** The engine that a URL names. The servers of one NATS cluster may be listed with commas between them. */
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

/** The wire that is set, or else the NATS server that a server of this home runs; null if there is neither. */
export function findWireUrl(config: Pick<Config, 'get' | 'home'>): string | null {
  return config.get(WIRE).url ?? readOwnUrl(config.home)
}

/** The file holds a password, so it counts only if it is the user's and nobody else can read or write it. */
function readOwnUrl(home: string): string | null {
  const path = join(home, NATS_FOLDER, NATS_URL_FILE)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat?.isFile() || stat.uid !== (process.getuid?.() ?? stat.uid) || (stat.mode & 0o077) !== 0) return null
  const url = readFileSync(path, 'utf8').trim()
  return URL.canParse(url) && ENGINES[new URL(url).protocol] === 'nats' ? url : null
}
