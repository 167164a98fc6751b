import { lazy } from '../kit/pure/lazy.ts'
import { foldCharacter } from '../kit/pure/lookalikes.ts'

/** One sign of a text as a reader may take it, and the stretch of the text that it stands for. */
export interface Glyph {
  readonly sign: string
  readonly start: number
  readonly end: number
  /** False where the text says it by an escape. */
  readonly plain: boolean
}

/**
 * Reads a text the way a lenient reader might: look-alikes folded, invisible characters skipped, HTML entities and
 * percent escapes undone however deeply they are nested. Each glyph remembers where it came from.
 *
 * Glyphs are kept as a stack. An escape is undone in the moment its last character arrives, and its result is pushed
 * like any other character, so it may complete a further escape. Every undoing shortens the stack: linear in all.
 */
export function readGlyphs(text: string): readonly Glyph[] {
  const glyphs: Glyph[] = []
  let start = 0
  for (const character of text) {
    const end = start + character.length
    for (const sign of foldCharacter(character)) push(glyphs, { sign, start, end, plain: true })
    start = end
  }
  for (const glyph of takeNumeric(glyphs, '')) push(glyphs, glyph)
  return glyphs
}

function push(glyphs: Glyph[], glyph: Glyph): void {
  const waiting = [glyph]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const undone = takeNumeric(glyphs, next.sign)
    if (undone.length > 0) waiting.push(next, ...undone.toReversed())
    else waiting.push(...settle(glyphs, next).toReversed())
  }
}

const NOTHING: readonly Glyph[] = []

/** Pushes a glyph; returns what it completes, already taken off the stack. */
function settle(glyphs: Glyph[], glyph: Glyph): readonly Glyph[] {
  // The semicolon of an escape that was undone without waiting for it.
  if (glyph.sign === ';' && glyphs.at(-1)?.plain === false) return NOTHING
  // Leading zeros say nothing; without them no number needs a long look back.
  if (glyph.sign === '0' && LEADS.some((lead) => endsWith(glyphs, glyphs.length, lead))) return NOTHING
  glyphs.push(glyph)
  return takePercent(glyphs) ?? takeNamed(glyphs) ?? NOTHING
}

/** Undoes `&#60` or `&#x3c` on top of the stack, once the sign after it shows that its digits are over. */
function takeNumeric(glyphs: Glyph[], next: string): readonly Glyph[] {
  return takeDigits(glyphs, next, DECIMAL) ?? takeDigits(glyphs, next, HEXADECIMAL) ?? NOTHING
}

interface Notation {
  readonly digits: string
  readonly lead: string
}

const DECIMAL: Notation = { digits: '0123456789', lead: '&#' }
const HEXADECIMAL: Notation = { digits: '0123456789abcdef', lead: '&#x' }
const LEADS = [DECIMAL.lead, HEXADECIMAL.lead]

/** One more than any code point needs. */
const MOST_DIGITS = 8

function takeDigits(glyphs: Glyph[], next: string, { digits, lead }: Notation): readonly Glyph[] | undefined {
  const isDigit = (sign = 'none') => digits.includes(sign)
  if (next !== '' && isDigit(next)) return undefined
  let first = glyphs.length
  while (glyphs.length - first < MOST_DIGITS && isDigit(glyphs[first - 1]?.sign)) first--
  if (first === glyphs.length || !endsWith(glyphs, first, lead)) return undefined
  const code = Number.parseInt(signs(glyphs, first), digits.length)
  return replaceFrom(glyphs, first - lead.length, code <= 0x10ffff ? String.fromCodePoint(code) : '')
}

/** Only ASCII: what reserved tags are made of needs no more. */
function takePercent(glyphs: Glyph[]): readonly Glyph[] | undefined {
  const first = glyphs.length - 3
  if (glyphs[first]?.sign !== '%') return undefined
  const digits = signs(glyphs, first + 1)
  return /^[0-7][0-9a-f]$/.test(digits)
    ? replaceFrom(glyphs, first, String.fromCharCode(Number.parseInt(digits, 16)))
    : undefined
}

/** HTML knows these without their semicolon too. */
const EAGER = lazy(() => namesOf({ '<': 'lt', '>': 'gt', '&': 'amp' }))

const NAMED = lazy(() =>
  namesOf({
    '<': 'lt lang langle',
    '>': 'gt rang rangle',
    '[': 'lsqb lbrack',
    ']': 'rsqb rbrack',
    '/': 'sol',
    '\\': 'bsol',
    '|': 'vert verbar verticalline',
    '-': 'hyphen dash',
    _: 'lowbar underbar',
    ':': 'colon',
    ';': 'semi',
    '&': 'amp',
    '#': 'num',
    '%': 'percnt',
    ' ': 'nbsp ensp emsp thinsp tab newline',
    '\u200b': 'shy zwj zwnj zerowidthspace',
  }),
)

/** What names end in; those that need no semicolon end in their last letter. */
const ENDS_NAME = ';tp'
/** No name of them is longer. */
const LONGEST_NAME = 'zerowidthspace'.length

function namesOf(table: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(table).flatMap(([sign, names]) => names.split(' ').map((name) => [name, sign] as const)),
  )
}

function takeNamed(glyphs: Glyph[]): readonly Glyph[] | undefined {
  const end = glyphs.at(-1)?.sign ?? ''
  if (!ENDS_NAME.includes(end)) return undefined
  const isEnded = end === ';'
  const last = glyphs.length - (isEnded ? 1 : 0)
  let first = last
  while (last - first < LONGEST_NAME && /^[a-z]$/.test(glyphs[first - 1]?.sign ?? '')) first--
  if (glyphs[first - 1]?.sign !== '&') return undefined
  const name = signs(glyphs, first, last)
  const character = (isEnded ? NAMED : EAGER)().get(name)
  return character === undefined ? undefined : replaceFrom(glyphs, first - 1, character)
}

/** Takes an escape off the stack and returns what it stands for, at the place where the escape begins. */
function replaceFrom(glyphs: Glyph[], first: number, character: string): readonly Glyph[] {
  const taken = glyphs.splice(first)
  const start = taken[0]?.start ?? 0
  const end = taken.at(-1)?.end ?? start
  return [...foldCharacter(character)].map((sign) => ({ sign, start, end, plain: false }))
}

function signs(glyphs: readonly Glyph[], first: number, last = glyphs.length): string {
  let joined = ''
  for (let i = first; i < last; i++) joined += glyphs[i]?.sign
  return joined
}

function endsWith(glyphs: readonly Glyph[], end: number, lead: string): boolean {
  return end >= lead.length && signs(glyphs, end - lead.length, end) === lead
}
