import { commentEnd, type JsonArray, type JsonObject } from './jsonc.ts'

/** Text that goes in at one place of another; nothing of that other is changed. */
export interface Insertion {
  readonly at: number
  readonly text: string
}

/** How the text around is laid out. */
export interface Layout {
  readonly lineEnd: string
  /** One step of indentation. */
  readonly indent: string
}

/** What was put behind the last element of a container, and what of it stands around the elements themselves. */
export interface Appended {
  readonly insertions: readonly Insertion[]
  /** The comma before them was there already. */
  readonly keepsComma: boolean
  /** What stands between them and the closing bracket, where that stood on the same line. */
  readonly closing: string
}

export function layoutOf(text: string): Layout {
  const lineEnd = /\r?\n/.exec(text)?.[0] ?? '\n'
  const indent = /^[^\S\r\n]*\{[^\S\r\n]*\r?\n([ \t]+)(?=\S)/.exec(text.replace(/^\uFEFF/, ''))?.[1]
  return { lineEnd, indent: indent ?? '  ' }
}

/** Writes data over several lines; what `isShort` says stays on one. */
export function formatValue(
  value: unknown,
  layout: Layout,
  margin: string,
  isShort: (value: object) => boolean,
): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const isArray = Array.isArray(value)
  const inner = margin + layout.indent
  const isOneLine = isShort(value)
  const parts = Object.entries(value).map(
    ([key, member]) => `${isArray ? '' : `${JSON.stringify(key)}: `}${formatValue(member, layout, inner, isShort)}`,
  )
  const [open, close] = isArray ? ['[', ']'] : ['{', '}']
  if (isOneLine) return `${open} ${parts.join(', ')} ${close}`
  const lines = parts.map((part) => inner + part).join(`,${layout.lineEnd}`)
  return `${open}${layout.lineEnd}${lines}${layout.lineEnd}${margin}${close}`
}

/** Puts elements behind the last one of a container; `format` writes them at a given indentation. */
export function append(
  text: string,
  container: JsonObject | JsonArray,
  layout: Layout,
  format: (margin: string) => readonly string[],
): Appended {
  const { lineEnd, indent } = layout
  const last = container.elements.at(-1)
  const keepsComma = last !== undefined && last.comma !== null
  const behind = last === undefined ? container.start + 1 : last.comma === null ? last.end : last.comma + 1
  const at = behindComments(text, behind)
  const outer = marginOf(text, container.start)
  const margin = ownMargin(text, container) ?? outer + indent
  const isOpenLine = !/[\r\n]/.test(text.slice(at, container.end - 1))
  const closing = isOpenLine ? lineEnd + outer : ''
  const body = format(margin)
    .map((element) => lineEnd + margin + element)
    .join(',')
  const insertions = [...(last && !keepsComma ? [{ at: behind, text: ',' }] : []), { at, text: body + closing }]
  return { insertions, keepsComma, closing }
}

/** A comment at the end of a line belongs to what stands before it on that line. */
function behindComments(text: string, from: number): number {
  let found = from
  for (let at = from; ; ) {
    while (text[at] === ' ' || text[at] === '\t') at++
    const end = commentEnd(text, at)
    if (end === undefined || /[\r\n]/.test(text.slice(at, end))) return found
    found = at = end
  }
}

/** The indentation of the line that a place is in. */
function marginOf(text: string, at: number): string {
  const line = text.slice(0, at).replace(/^\uFEFF/, '')
  return /[^\r\n]*$/.exec(line)?.[0].match(/^[ \t]*/)?.[0] ?? ''
}

/** The indentation of a container's elements, where the last of them begins a line. */
function ownMargin(text: string, { elements }: JsonObject | JsonArray): string | undefined {
  const start = elements.at(-1)?.start
  if (start === undefined) return undefined
  const line = /[^\r\n]*$/.exec(text.slice(0, start))?.[0] ?? ''
  return /^[ \t]*$/.test(line) ? line : undefined
}

export function applyInsertions(text: string, insertions: readonly Insertion[]): string {
  let result = ''
  let from = 0
  for (const { at, text: added } of inOrder(insertions)) {
    result += text.slice(from, at) + added
    from = at
  }
  return result + text.slice(from)
}

/** The text as it was before; undefined where what was put in does not stand there any more. */
export function undoInsertions(text: string, insertions: readonly Insertion[]): string | undefined {
  let result = text
  for (const { at, text: added } of inOrder(insertions)) {
    if (!result.startsWith(added, at)) return undefined
    result = result.slice(0, at) + result.slice(at + added.length)
  }
  return result
}

/** Of two at one place the first stays first. */
function inOrder(insertions: readonly Insertion[]): readonly Insertion[] {
  return insertions.toSorted((a, b) => a.at - b.at)
}
