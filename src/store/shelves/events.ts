import type { EventShelf } from '../contract/events.ts'
import { describeEvents } from '../event-data.ts'
import type { EventLog } from '../event-log.ts'
import type { Sql } from '../sql.ts'

export function createEventShelf(sql: Sql, log: EventLog): EventShelf {
  return {
    async after(params) {
      const slice = await log.after(params)
      return { ...slice, items: await describeEvents(sql, slice.items) }
    },
    last: log.last,
    reap: log.reap,
  }
}
