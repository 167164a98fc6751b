import type { HederaOptions } from '../../ledger/hedera/options.ts'
import { isLedgerId } from '../../model/ledger/topic.ts'
import { readKeyFile } from '../ledger/key-file.ts'
import { isRecord } from './config-file.ts'
import { isText, type Setting, type ValuePlace } from './group.ts'
import { isLoopback, KNOWN_NETWORKS } from './hedera-networks.ts'
import { isPort } from './server.ts'
import { ADDRESS } from './wire.ts'

/** An agent's own account. */
export interface AccountSetting {
  readonly id: string
  /** The file that holds its private key. */
  readonly keyFile: string
}

/** How to reach a network outside the store. For Hedera's own networks, `KNOWN_NETWORKS` fills in undefined addresses. */
export interface HederaValues {
  readonly operator: string | undefined
  readonly keyFile: string | undefined
  readonly nodes: Readonly<Record<string, string>> | undefined
  readonly mirror: string | undefined
  readonly mirrorGrpc: string | null | undefined
}

const NO_OPERATOR = 'is no account such as "0.0.1005"'
const NO_KEY_FILE = 'is not the path of the file that holds the private key of the operator'
const NO_MIRROR = 'is no address such as "http://127.0.0.1:5551"'
const NO_NODES = 'names no node, such as { "127.0.0.1:50211": "0.0.3" }'

export const HEDERA_SETTINGS: { readonly [K in keyof HederaValues]: Setting<HederaValues[K]> } = {
  operator: {
    default: 'none',
    help: 'the account that pays, such as `0.0.4515`; needed on every network but the local one',
    parse(value, place) {
      if (value === undefined || isLedgerId(value)) return value
      throw place.fault(NO_OPERATOR)
    },
  },
  keyFile: {
    default: 'none',
    help: 'a file with its private key, Ed25519 or ECDSA, in DER or raw hex. Nobody else may be able to read it (mode 0600); a key is never in the configuration itself',
    parse(value, place) {
      if (value === undefined) return undefined
      if (!isText(value)) throw place.fault(NO_KEY_FILE)
      return place.resolve(value)
    },
  },
  nodes: {
    default: 'those of the network',
    help: 'nodes by their addresses, `{ "127.0.0.1:50211": "0.0.3" }`',
    parse: (value, place) => (value === undefined ? undefined : parseNodes(value ?? {}, place)),
  },
  mirror: {
    default: 'that of the network',
    help: 'where entries are read, `http://…` or `https://…`',
    parse(value, place) {
      if (value === undefined || (isText(value) && isHttp(value))) return value
      throw place.fault(NO_MIRROR)
    },
  },
  mirrorGrpc: {
    default: 'that of the network',
    help: 'where entries are followed, `host:port`; what is missed there is read from `mirror`',
    parse(value, place) {
      if (value === undefined || value === null || isAddress(value)) return value
      throw place.fault('is neither "host:port" nor null')
    },
  },
}

/** The options of a client. For Hedera's own networks, `KNOWN_NETWORKS` fills in the addresses that are not set. */
export function hederaOptions(
  values: HederaValues & { readonly accounts: Readonly<Record<string, AccountSetting>> },
  network: string,
  placeOf: (key: string) => ValuePlace,
): HederaOptions {
  const known = Object.hasOwn(KNOWN_NETWORKS, network) ? KNOWN_NETWORKS[network] : undefined
  const { operator, keyFile, nodes = known?.nodes, mirror = known?.mirror, mirrorGrpc = known?.mirrorGrpc } = values
  if (operator === undefined) throw placeOf('operator').fault(NO_OPERATOR)
  if (keyFile === undefined) throw placeOf('keyFile').fault(NO_KEY_FILE)
  if (mirror === undefined) throw placeOf('mirror').fault(NO_MIRROR)
  if (nodes === undefined) throw placeOf('nodes').fault(NO_NODES)
  const files = new Map(Object.values(values.accounts).map(({ id, keyFile: path }) => [id, path]))
  files.set(operator, keyFile)
  return {
    network,
    isPublic: ![...Object.keys(nodes), new URL(mirror).host].every(isLoopback),
    operator,
    keys: Object.fromEntries([...files].map(([id, path]) => [id, () => readKeyFile(path)])),
    nodes,
    mirror,
    mirrorGrpc: mirrorGrpc ?? null,
  }
}

function parseNodes(value: unknown, place: ValuePlace): Readonly<Record<string, string>> {
  if (!isRecord(value)) throw place.fault('is not an object')
  const nodes = Object.entries(value).map(([address, account]) => {
    if (!isAddress(address)) throw place.fault(`has the address "${address}", which is not "host:port"`)
    if (!isLedgerId(account)) throw place.fault(`has no account such as "0.0.3" for ${address}`)
    return [address, account] as const
  })
  if (nodes.length === 0) throw place.fault(NO_NODES)
  return Object.fromEntries(nodes)
}

/** Refuses credentials in the address: every error that names the address would show them. */
function isHttp(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && ADDRESS.test(value) && isPort(Number(value.slice(value.lastIndexOf(':') + 1)))
}
