/** Values that others made: their keys are not ours to read times from. */
const FOREIGN = new Set(['payload', 'context'])

/** The answer of a command as JSON: times, which are milliseconds inside, leave as ISO 8601. */
export function formatJson(value: unknown): string {
  return JSON.stringify(withIsoTimes(value), null, 2).replace(UNSEEN, escapeUnits)
}

function withIsoTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIsoTimes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      if (typeof member === 'number' && (key === 'at' || /(?:At|Since)$/.test(key)))
        return [key, new Date(member).toISOString()]
      return [key, FOREIGN.has(key) ? member : withIsoTimes(member)]
    }),
  )
}

/** What JSON leaves raw although a terminal would obey it or nobody would see it. */
const UNSEEN = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu

function escapeUnits(character: string): string {
  return Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}
