/** The two parts of an item. */
export interface FrontMatter {
  /** The lines between the rules, as YAML. */
  readonly fields: string
  readonly body: string
}

const OPENING = /\ufeff?---[ \t]*\r?\n/y
const CLOSING = /(?<=\n)---[ \t]*(?:\r?\n|$)/g
const BLANK_LINE = /^\r?\n/
const LAST_LINE_END = /\r?\n$/

/**
 * Splits a text at the two rules that enclose its first lines; undefined where they are not there. The body is all of the
 * rest, but for the blank line that it begins with and the end of its last line: further rules belong to it.
 */
export function splitFrontMatter(text: string): FrontMatter | undefined {
  OPENING.lastIndex = 0
  if (!OPENING.test(text)) return undefined
  const from = OPENING.lastIndex
  CLOSING.lastIndex = from
  const closing = CLOSING.exec(text)
  if (closing === null) return undefined
  const rest = text.slice(CLOSING.lastIndex)
  return { fields: text.slice(from, closing.index), body: rest.replace(BLANK_LINE, '').replace(LAST_LINE_END, '') }
}

/** The opposite: what it makes is split into the same two parts again. */
export function joinFrontMatter({ fields, body }: FrontMatter): string {
  // A line end behind a lone return would be taken for one with it.
  return `---\n${fields}---\n\n${body}${body.endsWith('\r') ? '' : '\n'}`
}
