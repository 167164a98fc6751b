import { createAlikeShelves } from '../shelves/alike.ts'
import { createSweeper } from '../shelves/upkeep.ts'
import type { Sql } from '../sql.ts'
import { createEventLog } from './events.ts'
import type { RareShelves } from './rare.ts'
import { createSearcher } from './search.ts'

/** Shelves that most commands never touch. A part of its own, loaded with the first call on one of them. */
export function createWholeShelves(sql: Sql): RareShelves {
  return {
    ...createAlikeShelves(sql, createEventLog(sql)),
    searcher: createSearcher(sql),
    sweeper: createSweeper(sql),
  }
}
