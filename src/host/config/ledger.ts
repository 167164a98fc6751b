import type { HederaOptions } from '../../ledger/hedera/options.ts'
import { isAgentId } from '../../model/agent.ts'
import { PUBLISH_MODES, type PublishMode } from '../../model/ledger/ledgers.ts'
import { fromDollars } from '../../model/ledger/price.ts'
import { parseSeedPriority } from '../../model/ledger/seed-priority.ts'
import { type EventRoute, type LedgerSettings, type PublishRules, SEED_ROUTING } from '../../model/ledger/settings.ts'
import { isLedgerId } from '../../model/ledger/topic.ts'
import { isRecord } from './config-file.ts'
import { defineGroup, isText, type ValuePlace } from './group.ts'
import { type AccountSetting, HEDERA_SETTINGS, type HederaValues, hederaOptions } from './hedera.ts'

/** How the ledger is used, and how to reach it if it is not in the store. */
export interface LedgerConfig extends LedgerSettings {
  readonly hedera: HederaOptions | undefined
}

interface LedgerValues extends HederaValues {
  readonly network: string
  readonly publish: Omit<PublishRules, 'default'> & { readonly default: PublishMode | undefined }
  /** In US dollars; null: no bound. */
  readonly budgetPerDay: number | null | undefined
  readonly routing: Readonly<Record<string, EventRoute>>
  readonly accept: LedgerSettings['accept']
  readonly accounts: Readonly<Record<string, AccountSetting>>
}

/** The default budget of a public network, in US dollars a day. */
const PUBLIC_BUDGET = 5
const LARGEST_BUDGET = 1_000_000
const NETWORK = /^[a-z][a-z0-9-]{0,31}$/
const EVENT = /^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+$/

export const LEDGER = defineGroup<LedgerValues, LedgerConfig>(
  'ledger',
  {
    network: {
      default: '`local`',
      help: '`local`: in the store, without public consensus. `mainnet`, `testnet` and `previewnet` are known; any other name goes with `nodes` and `mirror`',
      parse(value = 'local', place) {
        if (typeof value === 'string' && NETWORK.test(value)) return value
        throw place.fault('is neither "local", "mainnet", "testnet", "previewnet" nor a name in lower-case letters')
      },
    },
    ...HEDERA_SETTINGS,
    publish: {
      default: '`{ "default": "hash" }` on a public network, else `{ "default": "full" }`',
      help: '`full`: the whole message. `hash`: its subject and a hash of the rest. `off`: nothing, the message is only pushed. `types` and `agents` set it for messages of a type or a sender, such as `{ "types": { "review.request": "full" } }`. A type counts before a sender',
      parse(value, place) {
        const { default: mode, types, agents } = partsOf(value ?? {}, place, ['default', 'types', 'agents'])
        if (mode !== undefined && !isMode(mode)) throw place.fault(NOT_A_MODE, 'default')
        return { default: mode, types: parseModes(types, place, 'types'), agents: parseModes(agents, place, 'agents') }
      },
    },
    budgetPerDay: {
      default: '5 on a public network, else `null`',
      help: 'US dollars that may be spent in a day (UTC), by our estimate; then what is for the record is refused with `LEDGER_BUDGET_SPENT`; `null`: no bound',
      parse(value, place) {
        if (value == null) return value
        if (typeof value === 'number' && value >= 0 && value <= LARGEST_BUDGET) return value
        throw place.fault(`is neither an amount of US dollars up to ${LARGEST_BUDGET} nor null`)
      },
    },
    routing: {
      default: "the ledger's own table",
      help: 'who is told of an event: `{ "task.blocked": { "to": ["mindy", "justin"], "priority": 1 } }`; a row here is added to the table, or replaces the one of its name. An empty `to`: nobody',
      parse(value, place) {
        const routes = Object.entries(recordOf(value, place)).map(
          ([type, route]) => [type, parseRoute(type, route, place)] as const,
        )
        return { ...SEED_ROUTING, ...Object.fromEntries(routes) }
      },
    },
    accept: {
      default: '`ask`',
      help: "outsiders' requests for a connection: `ask` somebody, accept `all`, or a list of accounts that are accepted at once",
      parse(value = 'ask', place) {
        if (value === 'ask' || value === 'all') return value
        if (Array.isArray(value) && value.every(isLedgerId)) return value
        throw place.fault('is neither "ask", "all" nor a list of accounts such as "0.0.1005"')
      },
    },
    accounts: {
      default: 'none',
      help: 'agents with an account of their own: `{ "quinn": { "id": "0.0.4516", "keyFile": "quinn.key" } }`. All others share the operator\'s',
      parse(value, place) {
        const accounts = Object.entries(recordOf(value, place)).map(
          ([agent, account]) => [agent, parseAccount(agent, account, place)] as const,
        )
        return Object.fromEntries(accounts)
      },
    },
  },
  (values, placeOf) => {
    const { network, publish, budgetPerDay, routing, accept, accounts } = values
    const hedera = network === 'local' ? undefined : hederaOptions(values, network, placeOf)
    const isPublic = hedera?.isPublic ?? false
    const budget = budgetPerDay === undefined ? (isPublic ? PUBLIC_BUDGET : null) : budgetPerDay
    return {
      network,
      // Everybody can read a public ledger for ever, so by default only hashes are published there.
      publish: { ...publish, default: publish.default ?? (isPublic ? 'hash' : 'full') },
      budgetPerDay: budget === null ? null : fromDollars(budget),
      routing,
      accept,
      // On the local ledger every agent has its own account anyway.
      accounts: hedera ? Object.fromEntries(Object.entries(accounts).map(([agent, { id }]) => [agent, id])) : {},
      hedera,
    }
  },
)

const NOT_A_MODE = `is none of ${PUBLISH_MODES.join(', ')}`

function parseModes(value: unknown = {}, place: ValuePlace, name: string): Readonly<Record<string, PublishMode>> {
  if (!isRecord(value)) throw place.fault('is not an object', name)
  for (const [key, mode] of Object.entries(value)) {
    if (!isMode(mode)) throw place.fault(NOT_A_MODE, `${name}.${key}`)
  }
  return value as Readonly<Record<string, PublishMode>>
}

function isMode(value: unknown): value is PublishMode {
  return PUBLISH_MODES.includes(value as PublishMode)
}

function recordOf(value: unknown, place: ValuePlace): Readonly<Record<string, unknown>> {
  if (value == null) return {}
  if (!isRecord(value)) throw place.fault('is not an object')
  return value
}

function parseRoute(type: string, route: unknown, place: ValuePlace): EventRoute {
  if (!EVENT.test(type)) throw place.fault('is no type of an event such as "task.blocked"', type)
  const { to, priority } = partsOf(route, place, ['to', 'priority'], type)
  if (!Array.isArray(to) || !to.every(isAgent)) throw place.fault('is not a list of agents', `${type}.to`)
  try {
    return { to, priority: parseSeedPriority(priority) }
  } catch {
    throw place.fault('is not a number from 1 (urgent) to 5 (for information)', `${type}.priority`)
  }
}

function isAgent(value: unknown): boolean {
  return typeof value === 'string' && isAgentId(value)
}

function parseAccount(agent: string, account: unknown, place: ValuePlace): AccountSetting {
  if (!isAgentId(agent)) throw place.fault('names no agent', agent)
  const { id, keyFile } = partsOf(account, place, ['id', 'keyFile'], agent)
  if (!isLedgerId(id)) throw place.fault('has no "id" such as "0.0.1005"', agent)
  if (!isText(keyFile)) throw place.fault('has no "keyFile"', agent)
  return { id, keyFile: place.resolve(keyFile) }
}

/** Requires an object that has no other fields than `parts`. */
function partsOf(
  value: unknown,
  place: ValuePlace,
  parts: readonly string[],
  name?: string,
): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw place.fault('is not an object', name)
  for (const part of Object.keys(value)) {
    if (!parts.includes(part)) throw place.fault('is not a setting', name === undefined ? part : `${name}.${part}`)
  }
  return value
}
