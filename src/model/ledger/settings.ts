import type { PublishMode } from './ledgers.ts'
import type { SeedPriority } from './seed-priority.ts'

/** How this deployment uses its ledger, after its configuration was understood. */
export interface LedgerSettings {
  /** `local`, `mainnet`, `testnet`, `previewnet`, or any other name where nodes and mirror are named. */
  readonly network: string
  readonly publish: PublishRules
  /** In billionths of a US dollar; null: no bound. */
  readonly budgetPerDay: number | null
  /** Who is told of what happens to work items, by the type of the event. */
  readonly routing: Readonly<Record<string, EventRoute>>
  /** Outsiders whose requests for a connection are accepted at once, by their accounts. */
  readonly accept: 'ask' | 'all' | readonly string[]
  /** Accounts of agents that do not share the operator's. */
  readonly accounts: Readonly<Record<string, string>>
}

/** What of a message is published: by its type, else by its sender, else the default. */
export interface PublishRules {
  readonly default: PublishMode
  readonly types: Readonly<Record<string, PublishMode>>
  readonly agents: Readonly<Record<string, PublishMode>>
}

export interface EventRoute {
  readonly to: readonly string[]
  readonly priority: SeedPriority
}

/** The table of seed 003. */
export const SEED_ROUTING: Readonly<Record<string, EventRoute>> = {
  'task.blocked': { to: ['mindy', 'justin'], priority: 1 },
  'task.complete': { to: ['engine'], priority: 3 },
  'phase.complete': { to: ['engine', 'mindy'], priority: 2 },
}
