const INSTANT = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/
const MAX_CHARACTERS = 40

/** Why a text is no moment: it has another form, it has no zone, or its day or time does not exist. */
export type InstantFault = 'form' | 'zone' | 'value'

/** Reads a date as ISO 8601 writes it, with its zone, so that it means the same on every machine. */
export function parseInstant(written: string): number | InstantFault {
  const text = written.trim()
  const [, year, month, day, , , , offset] = (written.length <= MAX_CHARACTERS && INSTANT.exec(text)) || []
  if (year === undefined) return 'form'
  if (offset === undefined) return 'zone'
  const at = Date.parse(text)
  // A day that its month does not have would become one of the next.
  const lastDay = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  return Number.isNaN(at) || Number(day) > lastDay ? 'value' : at
}
