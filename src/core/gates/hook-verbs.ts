/** What hooks do with gates. A part of its own, loaded where an agent has any. */
export { judgeGates, notePassed } from './judge.ts'
export { markGate } from './session-gates.ts'
export { standingGates } from './standing.ts'
