const OPENING = /^<system-reminder(?:\s[^<>]{0,200})?>/i
const CLOSING = /<\/system-reminder\s{0,20}>$/i
const REMINDER = /<\s{0,20}\/?\s{0,20}system-reminder/i

/**
 * Takes off the tag that older producers put around a whole entry. Where the tag stands anywhere else the content is
 * returned as it is: rendering makes it harmless.
 */
export function unwrapReminder(content: string): string {
  const trimmed = content.trim()
  const opening = OPENING.exec(trimmed)?.[0]
  const closing = CLOSING.exec(trimmed)?.[0]
  if (opening === undefined || closing === undefined) return content
  const inner = trimmed.slice(opening.length, trimmed.length - closing.length)
  return REMINDER.test(inner) ? content : inner.trim()
}
