/** Shelves that most commands never touch. A part of its own, loaded with the first call on one of them. */
export { createDecisionShelf } from '../shelves/decisions.ts'
export { createGateShelf } from '../shelves/gates.ts'
export { createSweeper } from '../shelves/upkeep.ts'
export { createSearcher } from './search.ts'
