import type { Shelves } from '../../../store/store.ts'
import { readersOf } from './intake.ts'

/** Which recipients are registered, and how much room their inboxes have. Each is looked up once in a batch. */
export class InboxCapacity {
  readonly #limit: number
  readonly #now: number
  readonly #isHere = new Map<string, boolean>()
  readonly #left = new Map<string, number>()

  constructor(limit: number, now: number) {
    this.#limit = limit
    this.#now = now
  }

  /** The readers who are registered now. A message for an agent that was removed stays on the ledger. */
  async present(tx: Shelves, agents: readonly string[]): Promise<readonly string[]> {
    const here = new Set<string>()
    for (const agent of agents) {
      for (const reader of await readersOf(tx, agent)) if (await this.#isRegistered(tx, reader)) here.add(reader)
    }
    return [...here]
  }

  async #isRegistered(tx: Shelves, agent: string): Promise<boolean> {
    const isHere = this.#isHere.get(agent) ?? (await tx.agents.get(agent))?.removedAt === null
    this.#isHere.set(agent, isHere)
    return isHere
  }

  /** Takes one place in each of the inboxes. Returns false, and takes none, if one of them is full. */
  async take(tx: Shelves, agents: readonly string[]): Promise<boolean> {
    for (const agent of agents) {
      const left = this.#left.get(agent) ?? this.#limit - (await this.#count(tx, agent))
      this.#left.set(agent, left)
      if (left <= 0) return false
    }
    for (const agent of agents) this.#left.set(agent, (this.#left.get(agent) ?? 0) - 1)
    return true
  }

  #count(tx: Shelves, agent: string): Promise<number> {
    return tx.deliveries.countPending({ agent, now: this.#now, upTo: this.#limit })
  }
}
