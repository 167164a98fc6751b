import { escapeUnseen } from '../../kit/pure/escape-unseen.ts'
import { toWire } from '../../model/network/wire-json.ts'

/** The answer of a command as JSON. */
export function formatJson(value: unknown): string {
  return escapeUnseen(JSON.stringify(toWire(value), null, 2))
}

/** The same on one line, for answers of which there is one after the other. */
export function formatJsonLine(value: unknown): string {
  return escapeUnseen(JSON.stringify(toWire(value)))
}
