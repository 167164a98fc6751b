/**
 * Answers as they leave a door: times, which are milliseconds inside, are ISO 8601 outside. A field is a time by its
 * name. Inputs travel as they are.
 */

/** Values that others made: their keys are not ours to read times from. */
const FOREIGN = new Set(['payload', 'context', 'data', 'details', 'meta', 'extra'])

/** The time of a ledger is finer than ours, and text everywhere. */
const TIME = /(?:^at|(?<!consensus)At|Since)$/

export function toWire(value: unknown): unknown {
  return map(value, (time) => (typeof time === 'number' ? new Date(time).toISOString() : time))
}

export function fromWire(value: unknown): unknown {
  return map(value, (time) => (typeof time === 'string' ? Date.parse(time) : time))
}

function map(value: unknown, turn: (time: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((member) => map(member, turn))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (FOREIGN.has(key)) return [key, member]
      if (!TIME.test(key)) return [key, map(member, turn)]
      return [key, Array.isArray(member) ? member.map(turn) : turn(member)]
    }),
  )
}
