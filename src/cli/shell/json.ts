import { toWire } from '../../model/network/wire-json.ts'

/** The answer of a command as JSON. */
export function formatJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(toWire(value), null, 2))
}

/** The same on one line, for answers of which there is one after the other. */
export function formatJsonLine(value: unknown): string {
  return escapeUnseen(JSON.stringify(toWire(value)))
}

/** Escapes what JSON leaves raw although a terminal would obey it or nobody would see it. */
function escapeUnseen(json: string): string {
  return json.replace(/[\u007f-\u009f\p{Cf}\u2028\u2029]/gu, escapeUnits)
}

function escapeUnits(character: string): string {
  return Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
}
