import type { Sql } from '../sql.ts'
import type { Shelves } from '../store.ts'

/**
 * Reads that take as long as there are agents or messages, on a server: metrics, counts, and lists of everybody. They run on
 * a thread of their own, so that no push waits for them.
 */
export function readLongAside(read: Shelves, aside: () => Promise<Sql>): Shelves {
  const load = async () => ({ ...(await import('./rare-shelves.ts')), sql: await aside() })
  const history = async () => {
    const { RARE_SHELVES, sql } = await load()
    return RARE_SHELVES.history(sql)
  }
  return {
    ...read,
    agents: {
      ...read.agents,
      async statuses(params) {
        const { RARE_SHELVES, sql } = await load()
        return RARE_SHELVES.agentLister(sql).statuses(params)
      },
    },
    inboxes: {
      ...read.inboxes,
      async page(params) {
        if (params.agent !== undefined) return read.inboxes.page(params)
        const { RARE_SHELVES, sql } = await load()
        return RARE_SHELVES.inboxes(sql).page(params)
      },
    },
    history: {
      ...read.history,
      pushed: async (params) => (await history()).pushed(params),
      delivered: async (params) => (await history()).delivered(params),
      waiting: async (params) => (await history()).waiting(params),
      offered: async (params) => (await history()).offered(params),
    },
    upkeep: {
      ...read.upkeep,
      async counts() {
        const { RARE_SHELVES, sql } = await load()
        return RARE_SHELVES.sweeper(sql).counts()
      },
    },
  }
}
