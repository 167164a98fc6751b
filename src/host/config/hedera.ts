import type { HederaOptions } from '../../ledger/hedera/options.ts'
import { isAgentId } from '../../model/agent.ts'
import { isLedgerId } from '../../model/ledger/topic.ts'
import { readKeyFile } from '../ledger/key-file.ts'
import { isLoopback, KNOWN_NETWORKS } from './hedera-networks.ts'
import { isText, partsOf, type Reading } from './reading.ts'
import { isPort } from './server.ts'
import { ADDRESS } from './wire.ts'

/** An account of its own for an agent. */
export interface AccountSetting {
  readonly id: string
  /** The file that holds its private key. */
  readonly keyFile: string
}

export function readAccounts(reading: Reading): Readonly<Record<string, AccountSetting>> {
  const { fault, pathOf, record } = reading
  const accounts = Object.entries(record('accounts')).map(([agent, value]) => {
    const name = `accounts.${agent}`
    if (!isAgentId(agent)) throw fault(name, 'names no agent')
    const { id, keyFile } = partsOf(reading, name, value, ['id', 'keyFile'])
    if (!isLedgerId(id)) throw fault(name, 'has no "id" such as "0.0.1005"')
    if (!isText(keyFile)) throw fault(name, 'has no "keyFile"')
    return [agent, { id, keyFile: pathOf('accounts', keyFile) }] as const
  })
  return Object.fromEntries(accounts)
}

/** Where a network is that is not a part of the store. What is not said is known of Hedera's own networks. */
export function readHedera(
  reading: Reading,
  network: string,
  accounts: Readonly<Record<string, AccountSetting>>,
): HederaOptions {
  const { written, fault, pathOf } = reading
  const known = Object.hasOwn(KNOWN_NETWORKS, network) ? KNOWN_NETWORKS[network] : undefined
  const { operator, keyFile, mirror = known?.mirror, mirrorGrpc = known?.mirrorGrpc ?? null } = written
  if (!isLedgerId(operator)) throw fault('operator', 'is no account such as "0.0.1005"')
  if (!isText(keyFile)) throw fault('keyFile', 'is not the path of the file that holds the private key of the operator')
  if (!isText(mirror) || !isHttp(mirror)) throw fault('mirror', 'is no address such as "http://127.0.0.1:5551"')
  if (mirrorGrpc !== null && !isAddress(mirrorGrpc)) throw fault('mirrorGrpc', 'is neither "host:port" nor null')
  const nodes = readNodes(reading, known?.nodes)
  const files = new Map(Object.values(accounts).map(({ id, keyFile: path }) => [id, path]))
  files.set(operator, pathOf('keyFile', keyFile))
  return {
    network,
    isPublic: ![...Object.keys(nodes), new URL(mirror).host].every(isLoopback),
    operator,
    keys: Object.fromEntries([...files].map(([id, path]) => [id, () => readKeyFile(path)])),
    nodes,
    mirror,
    mirrorGrpc,
  }
}

function readNodes(
  { written, fault, record }: Reading,
  known: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  const nodes = written['nodes'] === undefined ? known : record('nodes')
  const read = Object.entries(nodes).map(([address, account]) => {
    if (!isAddress(address)) throw fault('nodes', `has the address "${address}", which is not "host:port"`)
    if (!isLedgerId(account)) throw fault('nodes', `has no account such as "0.0.3" for ${address}`)
    return [address, account] as const
  })
  if (read.length === 0) throw fault('nodes', 'names no node, such as { "127.0.0.1:50211": "0.0.3" }')
  return Object.fromEntries(read)
}

/** A password in it would stand in every error that names the address. */
function isHttp(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && ADDRESS.test(value) && isPort(Number(value.slice(value.lastIndexOf(':') + 1)))
}
