import { toWire } from '../../model/network/wire-json.ts'

/** The answer of a command as JSON. */
export function formatJson(value: unknown): string {
  return JSON.stringify(toWire(value), null, 2).replace(UNSEEN, escapeUnits)
}

/** The same on one line, for answers of which there is one after the other. */
export function formatJsonLine(value: unknown): string {
  return JSON.stringify(toWire(value)).replace(UNSEEN, escapeUnits)
}

/** What JSON leaves raw although a terminal would obey it or nobody would see it. */
const UNSEEN = /[\u007f-\u009f\p{Cf}\u2028\u2029]/gu

function escapeUnits(character: string): string {
  return Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}
