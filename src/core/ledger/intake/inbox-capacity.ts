import { SYSTEM_CALLER } from '../../../model/caller.ts'
import type { Shelves } from '../../../store/store.ts'
import { responsiblePeople } from '../../agents/people.ts'

/** Who reads what is for an agent. The deployment itself has topics and no inbox: its people read for it. */
export async function readersOf(tx: Shelves, agent: string): Promise<readonly string[]> {
  return agent === SYSTEM_CALLER.id ? responsiblePeople(tx) : [agent]
}

/** Who is registered, and how much room their inboxes have; looked up once for each in a batch. */
export class Places {
  readonly #most: number
  readonly #now: number
  readonly #isHere = new Map<string, boolean>()
  readonly #left = new Map<string, number>()

  constructor(most: number, now: number) {
    this.#most = most
    this.#now = now
  }

  /** Those who are registered now: what is for somebody who has been removed stays on the ledger. */
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

  /** Takes a place in each of the inboxes; false, and nothing is taken, where one of them has none. */
  async take(tx: Shelves, agents: readonly string[]): Promise<boolean> {
    for (const agent of agents) {
      const left = this.#left.get(agent) ?? this.#most - (await this.#count(tx, agent))
      this.#left.set(agent, left)
      if (left <= 0) return false
    }
    for (const agent of agents) this.#left.set(agent, (this.#left.get(agent) ?? 0) - 1)
    return true
  }

  #count(tx: Shelves, agent: string): Promise<number> {
    return tx.deliveries.countPending({ agent, now: this.#now, upTo: this.#most })
  }
}
