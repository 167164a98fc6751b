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
const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/
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
  return { kind: 'heading', level: marks.length, of: parseInline(text) }
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

const INLINE =
  /(`+)(.+?)\1(?!`)|\*\*(\S(?:.*?\S)?)\*\*|(?<![\w*])\*(\S(?:[^*]*?\S)?)\*(?!\w)|(?<!\w)_(\S(?:[^_]*?\S)?)_(?!\w)|~~(\S(?:.*?\S)?)~~|\[([^\]\n]{1,500})\]\(<?([^\s)>]{1,2000})>?(?:\s+"[^"]*")?\)|(https?:\/\/[^\s<>"'`]+)/

/** A line of text is gone through so far; a longer one ends as plain text. */
const MAX_PARTS = 500

export function parseInline(text: string, depth = 0): Inline[] {
  const found: Inline[] = []
  let rest = text
  for (let parts = 0; rest !== '' && parts < MAX_PARTS && depth < MAX_DEPTH; parts++) {
    const match = INLINE.exec(rest)
    if (!match) break
    if (match.index > 0) found.push({ kind: 'text', text: rest.slice(0, match.index) })
    found.push(...inlineOf(match, depth))
    rest = rest.slice(match.index + match[0].length)
  }
  if (rest !== '') found.push({ kind: 'text', text: rest })
  return found
}

function inlineOf(match: RegExpExecArray, depth: number): Inline[] {
  const [whole, , code, strong, star, underscore, del, label, target, address] = match
  if (code !== undefined) return [{ kind: 'code', text: code }]
  if (strong !== undefined) return [{ kind: 'strong', of: parseInline(strong, depth + 1) }]
  const em = star ?? underscore
  if (em !== undefined) return [{ kind: 'em', of: parseInline(em, depth + 1) }]
  if (del !== undefined) return [{ kind: 'del', of: parseInline(del, depth + 1) }]
  if (address !== undefined) return bareLink(address)
  const href = safeAddress(target ?? '')
  if (label !== undefined && href) return [{ kind: 'link', href, of: parseInline(label, depth + 1) }]
  return [{ kind: 'text', text: whole }]
}

/** The full stop behind an address belongs to the sentence. */
function bareLink(text: string): Inline[] {
  const address = text.replace(/[.,;:!?)\]]+$/, '')
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
