import type { HederaOptions } from '../../ledger/hedera/options.ts'
import { isAgentId } from '../../model/agent.ts'
import { PUBLISH_MODES, type PublishMode } from '../../model/ledger/ledgers.ts'
import { fromDollars } from '../../model/ledger/price.ts'
import { parseSeedPriority } from '../../model/ledger/seed-priority.ts'
import { type EventRoute, type LedgerSettings, type PublishRules, SEED_ROUTING } from '../../model/ledger/settings.ts'
import { isLedgerId } from '../../model/ledger/topic.ts'
import { isRecord } from './config-file.ts'
import { readAccounts, readHedera } from './hedera.ts'
import { createReading, type LedgerConfig, partsOf, type Reading } from './reading.ts'

/** How the ledger is used, and where it is unless it is a part of the store. */
export interface ReadLedgerSettings extends LedgerSettings {
  readonly hedera: HederaOptions | undefined
}

/** In US dollars: what a public network may cost a day where nothing is set. */
const PUBLIC_BUDGET = 5
const LARGEST_BUDGET = 1_000_000
const NETWORK = /^[a-z][a-z0-9-]{0,31}$/
const EVENT = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/
const SETTINGS: readonly string[] = [
  'network',
  'operator',
  'keyFile',
  'nodes',
  'mirror',
  'mirrorGrpc',
  'publish',
  'budgetPerDay',
  'routing',
  'accept',
  'accounts',
]

/** What a configuration says of the ledger; apart from the rest, because few commands need it. */
export function readLedgerSettings(config: LedgerConfig): ReadLedgerSettings {
  const reading = createReading(config)
  for (const name of Object.keys(config.ledger)) {
    if (!SETTINGS.includes(name)) throw reading.fault(name, 'is not a setting')
  }
  const network = readNetwork(reading)
  const accounts = readAccounts(reading)
  const hedera = network === 'local' ? undefined : readHedera(reading, network, accounts)
  const isPublic = hedera?.isPublic ?? false
  return {
    network,
    publish: readPublish(reading, isPublic),
    budgetPerDay: readBudget(reading, isPublic),
    routing: readRouting(reading),
    accept: readAccept(reading),
    // Locally every agent has an account of its own in any case.
    accounts: hedera ? Object.fromEntries(Object.entries(accounts).map(([agent, { id }]) => [agent, id])) : {},
    hedera,
  }
}

function readNetwork({ written, fault }: Reading): string {
  const { network = 'local' } = written
  if (typeof network === 'string' && NETWORK.test(network)) return network
  throw fault('network', 'is neither "local", "mainnet", "testnet", "previewnet" nor a name in lower-case letters')
}

/** Whatever is on a public ledger stays there for everybody to read: unless somebody chooses it, only hashes are. */
function readPublish(reading: Reading, isPublic: boolean): PublishRules {
  const written = partsOf(reading, 'publish', reading.record('publish'), ['default', 'types', 'agents'])
  const { default: mode = isPublic ? 'hash' : 'full', types = {}, agents = {} } = written
  if (!isMode(mode)) throw reading.fault('publish.default', NOT_A_MODE)
  return { default: mode, types: readModes(reading, 'types', types), agents: readModes(reading, 'agents', agents) }
}

const NOT_A_MODE = `is none of ${PUBLISH_MODES.join(', ')}`

function readModes({ fault }: Reading, name: string, modes: unknown): Readonly<Record<string, PublishMode>> {
  if (!isRecord(modes)) throw fault(`publish.${name}`, 'is not an object')
  for (const [key, mode] of Object.entries(modes)) {
    if (!isMode(mode)) throw fault(`publish.${name}.${key}`, NOT_A_MODE)
  }
  return modes as Readonly<Record<string, PublishMode>>
}

function isMode(value: unknown): value is PublishMode {
  return PUBLISH_MODES.includes(value as PublishMode)
}

/** In billionths of a US dollar. */
function readBudget({ written, fault }: Reading, isPublic: boolean): number | null {
  const { budgetPerDay = isPublic ? PUBLIC_BUDGET : null } = written
  if (budgetPerDay === null) return null
  const isAmount = typeof budgetPerDay === 'number' && budgetPerDay >= 0 && budgetPerDay <= LARGEST_BUDGET
  if (!isAmount) throw fault('budgetPerDay', `is neither an amount of US dollars up to ${LARGEST_BUDGET} nor null`)
  return fromDollars(budgetPerDay)
}

/** The seed's table, and what is set beside it or instead of it; where `to` is empty nobody is told. */
function readRouting(reading: Reading): Readonly<Record<string, EventRoute>> {
  const routes = Object.entries(reading.record('routing')).map(([type, value]) => {
    const name = `routing.${type}`
    if (!EVENT.test(type)) throw reading.fault(name, 'is no type of an event such as "task.blocked"')
    const { to, priority } = partsOf(reading, name, value, ['to', 'priority'])
    if (!Array.isArray(to) || !to.every(isAgent)) throw reading.fault(`${name}.to`, 'is not a list of agents')
    return [type, { to, priority: readPriority(reading, name, priority) }] as const
  })
  return { ...SEED_ROUTING, ...Object.fromEntries(routes) }
}

function isAgent(value: unknown): boolean {
  return typeof value === 'string' && isAgentId(value)
}

function readPriority({ fault }: Reading, name: string, priority: unknown): EventRoute['priority'] {
  try {
    return parseSeedPriority(priority)
  } catch {
    throw fault(`${name}.priority`, 'is not a number from 1 (urgent) to 5 (for information)')
  }
}

function readAccept({ written, fault }: Reading): LedgerSettings['accept'] {
  const { accept = 'ask' } = written
  if (accept === 'ask' || accept === 'all') return accept
  if (Array.isArray(accept) && accept.every(isLedgerId)) return accept
  throw fault('accept', 'is neither "ask", "all" nor a list of accounts such as "0.0.1005"')
}
