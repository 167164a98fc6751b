/**
 * As much of Markdown as messages use, read into a tree of plain data: headings, lists, quotes, code, rules, emphasis,
 * code within a line, and links. Nothing of it is ever HTML: what looks like a tag is text.
 */
export type Inline =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly of: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly of: readonly Inline[] }

export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly of: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly lines: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'quote'; readonly of: readonly Block[] }
  | { readonly kind: 'list'; readonly isOrdered: boolean; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'rule' }

const FENCE = /^\s{0,3}(`{3,}|~{3,})/
const HEADING = /^(#{1,6})\s+(.*)$/
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/
const BULLET = /^\s{0,6}[-*+]\s+(.*)$/
const NUMBER = /^\s{0,6}\d{1,9}[.)]\s+(.*)$/
const QUOTE = /^\s{0,3}>\s?(.*)$/

/** Quotes within quotes are read so deep and no deeper. */
const MAX_DEPTH = 6

export function parseMarkdown(text: string, depth = 0): Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const blocks: Block[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    const fence = FENCE.exec(line)?.[1]
    if (line.trim() === '') at++
    else if (fence) at = takeCode(lines, at, fence, blocks)
    else if (RULE.test(line)) at = take(blocks, { kind: 'rule' }, at)
    else if (HEADING.test(line)) at = take(blocks, headingOf(line), at)
    else if (QUOTE.test(line) && depth < MAX_DEPTH) at = takeQuote(lines, at, depth, blocks)
    else if (BULLET.test(line)) at = takeList(lines, at, BULLET, blocks)
    else if (NUMBER.test(line)) at = takeList(lines, at, NUMBER, blocks)
    else at = takeParagraph(lines, at, blocks)
  }
  return blocks
}

function take(blocks: Block[], block: Block, at: number): number {
  blocks.push(block)
  return at + 1
}

function headingOf(line: string): Block {
  const [, marks = '#', text = ''] = HEADING.exec(line) ?? []
  return { kind: 'heading', level: marks.length, of: parseInline(withoutEnd(text.trimEnd(), '#').trimEnd()) }
}

/** A regular expression would begin anew at each of these characters. */
function withoutEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}

function takeCode(lines: readonly string[], from: number, fence: string, blocks: Block[]): number {
  let end = from + 1
  while (end < lines.length && !isClosing(lines[end] ?? '', fence)) end++
  blocks.push({ kind: 'code', text: lines.slice(from + 1, end).join('\n') })
  return end + 1
}

function isClosing(line: string, fence: string): boolean {
  const text = line.trim()
  return text.startsWith(fence) && text.replaceAll(fence[0] ?? '`', '') === ''
}

function takeQuote(lines: readonly string[], from: number, depth: number, blocks: Block[]): number {
  const end = endOf(lines, from, (line) => QUOTE.test(line))
  const quoted = lines.slice(from, end).map((line) => QUOTE.exec(line)?.[1] ?? '')
  blocks.push({ kind: 'quote', of: parseMarkdown(quoted.join('\n'), depth + 1) })
  return end
}

function takeList(lines: readonly string[], from: number, mark: RegExp, blocks: Block[]): number {
  const end = endOf(lines, from, (line) => mark.test(line) || /^\s{2,}\S/.test(line))
  const items: string[] = []
  for (const line of lines.slice(from, end)) {
    const item = mark.exec(line)?.[1]
    if (item === undefined) items.push(`${items.pop() ?? ''} ${line.trim()}`)
    else items.push(item)
  }
  blocks.push({ kind: 'list', isOrdered: mark === NUMBER, items: items.map(parseInline) })
  return end
}

function takeParagraph(lines: readonly string[], from: number, blocks: Block[]): number {
  const begins = (line: string) =>
    line.trim() === '' || [FENCE, RULE, HEADING, QUOTE, BULLET, NUMBER].some((form) => form.test(line))
  // The first line is one whatever it looks like, so that every line is taken by something.
  const end = Math.max(
    from + 1,
    endOf(lines, from, (line) => !begins(line)),
  )
  blocks.push({ kind: 'paragraph', lines: lines.slice(from, end).map(parseInline) })
  return end
}

function endOf(lines: readonly string[], from: number, belongs: (line: string) => boolean): number {
  let end = from
  while (end < lines.length && belongs(lines[end] ?? '')) end++
  return end
}

/** Where something other than text may begin. */
const MARK = /`+|\*\*?|_|~~|\[|https?:\/\//g
const LINK_BEGIN = /\]\(<?/y
const LINK_END = />?(?:\s{1,100}"[^"]{0,500}")?\)/y
const ADDRESS = /https?:\/\/[^\s<>"'`]+/y
const MAX_LABEL = 500
const MAX_TARGET = 2_000

/** A line of text is gone through so far; a longer one ends as plain text. */
const MAX_PARTS = 500

/** Where a part begins and ends, and what it is. */
interface Part {
  readonly at: number
  readonly end: number
  readonly of: readonly Inline[]
}

/** Reads one line. Each mark looks its partner up instead of searching the line for it, so the time stays linear. */
export function parseInline(text: string, depth = 0): Inline[] {
  const found: Inline[] = []
  let from = 0
  if (depth < MAX_DEPTH) {
    for (const { at, end, of } of partsOf(text, depth)) {
      if (at > from) found.push({ kind: 'text', text: text.slice(from, at) })
      found.push(...of)
      from = end
    }
  }
  if (from < text.length) found.push({ kind: 'text', text: text.slice(from) })
  return found
}

function* partsOf(text: string, depth: number): Generator<Part> {
  const partners = findPartners(text)
  const marks = new RegExp(MARK)
  for (let parts = 0; parts < MAX_PARTS; ) {
    const mark = marks.exec(text)
    if (!mark) return
    const part = partAt(text, mark, { partners, depth })
    if (!part) continue
    yield part
    parts++
    marks.lastIndex = part.end
  }
}

interface Reading {
  readonly partners: Partners
  readonly depth: number
}

function partAt(text: string, { 0: mark, index: at }: RegExpExecArray, { partners, depth }: Reading): Part | undefined {
  const from = at + mark.length
  const spanning = (kind: 'strong' | 'em' | 'del', close: number | undefined): Part | undefined =>
    close === undefined
      ? undefined
      : { at, end: close + mark.length, of: [{ kind, of: parseInline(text.slice(from, close), depth + 1) }] }
  if (mark.startsWith('`')) {
    const close = partners.after(mark, from)
    return close === undefined
      ? undefined
      : { at, end: close + mark.length, of: [{ kind: 'code', text: text.slice(from, close) }] }
  }
  if (mark.startsWith('http')) return addressAt(text, at)
  if (mark === '[') return linkAt(text, at, { partners, depth })
  if (isBlank(text, from)) return undefined
  if (mark === '**' || mark === '~~') return spanning(mark === '**' ? 'strong' : 'del', partners.after(mark, from + 1))
  const isInWord = WORD.test(text[at - 1] ?? ' ') || (mark === '*' && text[at - 1] === '*')
  const close = isInWord ? -1 : text.indexOf(mark, from)
  const isWhole = close > from && !isBlank(text, close - 1) && !WORD.test(text[close + 1] ?? ' ')
  return spanning('em', isWhole ? close : undefined)
}

const WORD = /\w/

function isBlank(text: string, at: number): boolean {
  return (text[at] ?? ' ').trim() === ''
}

function linkAt(text: string, at: number, { partners, depth }: Reading): Part | undefined {
  const close = partners.after(']', at + 2)
  if (close === undefined || close - at > MAX_LABEL + 1) return undefined
  LINK_BEGIN.lastIndex = close
  if (!LINK_BEGIN.test(text)) return undefined
  const from = LINK_BEGIN.lastIndex
  const to = partners.after(TARGET_END, from)
  if (to === undefined || to === from || to - from > MAX_TARGET) return undefined
  LINK_END.lastIndex = to
  if (!LINK_END.test(text)) return undefined
  const end = LINK_END.lastIndex
  const href = safeAddress(text.slice(from, to))
  if (!href) return { at, end, of: [{ kind: 'text', text: text.slice(at, end) }] }
  return { at, end, of: [{ kind: 'link', href, of: parseInline(text.slice(at + 1, close), depth + 1) }] }
}

function addressAt(text: string, at: number): Part | undefined {
  ADDRESS.lastIndex = at
  const [address] = ADDRESS.exec(text) ?? []
  return address === undefined ? undefined : { at, end: at + address.length, of: bareLink(address) }
}

interface Partners {
  /** Where the first mark of this kind stands that could close one before it, from `from` on. */
  after(mark: string, from: number): number | undefined
}

const CLOSING = /`+|\*\*|~~|\]|[\s)>]/g
const TARGET_END = ')'

/** Runs of backticks by their length; what may end the target of a link; other marks unless a blank stands before them. */
function findPartners(text: string): Partners {
  const places = new Map<string, number[]>()
  const note = (mark: string, at: number) => {
    const known = places.get(mark)
    if (known) known.push(at)
    else places.set(mark, [at])
  }
  for (const { 0: mark, index } of text.matchAll(CLOSING)) {
    if (/^[\s)>]/.test(mark)) note(TARGET_END, index)
    else if (/^[`\]]/.test(mark) || !isBlank(text, index - 1)) note(mark, index)
  }
  return { after: (mark, from) => firstFrom(places.get(mark) ?? [], from) }
}

function firstFrom(sorted: readonly number[], from: number): number | undefined {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? 0) < from) low = middle + 1
    else high = middle
  }
  return sorted[low]
}

/** The full stop behind an address belongs to the sentence. */
function bareLink(text: string): Inline[] {
  const address = withoutEnd(text, '.,;:!?)]')
  const href = safeAddress(address)
  if (!href) return [{ kind: 'text', text }]
  const rest = text.slice(address.length)
  const link: Inline = { kind: 'link', href, of: [{ kind: 'text', text: address }] }
  return rest === '' ? [link] : [link, { kind: 'text', text: rest }]
}

const SCHEMES = ['http:', 'https:', 'mailto:']

/** Where a link may lead: never to a program, nor to a place within this page that only looks like an address. */
export function safeAddress(text: string): string | undefined {
  const url = URL.parse(text)
  return url && SCHEMES.includes(url.protocol) ? url.href : undefined
}
