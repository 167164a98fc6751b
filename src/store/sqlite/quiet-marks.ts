import type { MarkQuiet } from '../store.ts'
import type { Concerned } from './concerns.ts'
import type { Connection } from './connection.ts'
import type { QuietFolder } from './quiet.ts'
import type { TransactionObserver } from './writer.ts'

/**
 * Keeps the quiet files true to the store while one transaction after the other writes to it.
 *
 * A file is made inside a transaction and outlives it whatever becomes of it, so nothing may wait for the agent either
 * before or after that transaction. Whatever concerns an agent removes its file before the commit: a process may die at
 * any point between, and then only time is lost.
 */
export class QuietMarks implements TransactionObserver {
  readonly #committed: () => Connection
  #folder: QuietFolder | undefined
  #connection: Connection | undefined
  #concerned = new Set<string>()
  #concernsEverybody = false
  #marked = new Set<string>()
  /** SQLite's count of changes as the transaction found it, and as it was last looked at. */
  #before = 0
  #counted = 0

  /** `committed` reads what is committed while a transaction is open. */
  constructor(committed: () => Connection) {
    this.#committed = committed
  }

  /** From now on about these files; undefined for a store that has none. */
  use(folder: QuietFolder | undefined): void {
    this.#folder = folder
  }

  begin(connection: Connection): void {
    if (!this.#folder) return
    // What is written between transactions, as nothing is, would count as the next one's.
    if (connection !== this.#connection) this.#counted = countChanges(connection)
    this.#connection = connection
    this.#before = this.#counted
    this.#concerned.clear()
    this.#concernsEverybody = false
    this.#marked.clear()
  }

  /** To be called after everything that may have changed the store, with whom it then concerns. */
  readonly note = (concerned: () => Concerned): void => {
    if (!this.#folder || !this.#hasChanged()) return
    const agents = concerned()
    if (!agents) this.#concernsEverybody = true
    else for (const agent of agents) this.#concerned.add(agent)
  }

  markQuiet({ agent, spools }: MarkQuiet): boolean {
    if (!this.#folder || !this.#connection || this.#concernsEverybody) return false
    if (!hasNothingWaiting(this.#connection, agent) || !this.#hadNothingWaiting(agent)) return false
    if (!this.#folder.make(agent, spools)) return false
    this.#concerned.delete(agent)
    this.#marked.add(agent)
    return true
  }

  /** The verb is rolled back. An agent that it marked as quiet may not be quiet without what the verb did. */
  takeBack(): void {
    for (const agent of this.#marked) this.#concerned.add(agent)
  }

  beforeCommit(): void {
    if (!this.#folder) return
    this.note(() => undefined)
    if (this.#concernsEverybody) this.#folder.removeAll()
    else this.#folder.remove(this.#concerned)
  }

  #hasChanged(): boolean {
    if (!this.#connection) return false
    const counted = countChanges(this.#connection)
    const hasChanged = counted !== this.#counted
    this.#counted = counted
    return hasChanged
  }

  /** Whether nothing would wait for the agent if this transaction were rolled back. False in any doubt. */
  #hadNothingWaiting(agent: string): boolean {
    try {
      if (this.#connection && countChanges(this.#connection) === this.#before) return true
      return hasNothingWaiting(this.#committed(), agent)
    } catch {
      return false
    }
  }
}

/** Also counts what was taken back, so it never goes back itself. */
function countChanges(connection: Connection): number {
  return connection.get('SELECT total_changes()')?.[0] ?? Number.NaN
}

export function hasNothingWaiting(connection: Connection, agent: string): boolean {
  return connection.get(NOTHING_WAITS, [agent]) !== undefined
}

/**
 * What makes an agent's hooks ask the store, now or when its time comes: time writes nothing, so it removes no file. A
 * gate on tools that a session has counts for as long as that is open. A turn that was put off is counted until a prompt
 * begins another, which must be noted then; and what a session has inherited is confirmed by its next event.
 */
const WAITING = [
  `deliveries d WHERE d.agent_id = a.id AND d.state = 'pending'`,
  'deliveries d WHERE d.agent_id = a.id AND d.snoozed_until IS NOT NULL',
  'offers o WHERE o.agent_id = a.id AND o.closed_at IS NULL',
  `gates g WHERE g.agent_id = a.id AND g.state = 'open'`,
  'gates g WHERE g.agent_id = a.id AND g.next_at IS NOT NULL',
  `sessions s JOIN session_gates g ON g.session_id = s.id
     WHERE s.agent_id = a.id AND s.ended_at IS NULL AND g.hook = 'tool'`,
  `sessions s WHERE s.agent_id = a.id AND s.ended_at IS NULL AND (s.continuations > 0
     OR s.id IN (SELECT session_id FROM inheritances WHERE closed_at IS NULL))`,
  'plans p WHERE p.agent_id = a.id AND p.next_run_at IS NOT NULL AND p.paused_at IS NULL',
]

const NOTHING_WAITS = `SELECT 1 FROM agents a WHERE a.id = ?1 AND a.removed_at IS NULL
  AND a.broadcast_cursor >= (SELECT value FROM counters WHERE name = 'broadcast')
  ${WAITING.map((waiting) => `AND NOT EXISTS (SELECT 1 FROM ${waiting})`).join('\n  ')}`
