const FORM = /^LEGACY-LINE-(\d{1,15})$/
const DIGITS = 9

/** The id of a one-line record: the number of its line, by which it is known only within its file. */
export function formatLegacyId(line: number): string {
  return `LEGACY-LINE-${String(line).padStart(DIGITS, '0')}`
}

export function isLegacyId(id: string): boolean {
  return FORM.test(id)
}

/** The id by which an entry is known. Earlier versions wrote `LEGACY-LINE-7` for `LEGACY-LINE-000000007`. */
export function canonicalMsgId(id: string): string {
  const [, line] = FORM.exec(id) ?? []
  return line === undefined ? id : formatLegacyId(Number(line))
}
