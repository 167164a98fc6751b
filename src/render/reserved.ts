import { lazy } from '../kit/pure/lazy.ts'
import { type Glyph, readGlyphs } from './glyphs.ts'

/** Tags by which hosts and model formats speak to a model. Nothing that a message says may look like one. */
const TAG_NAMES = [
  'system system-reminder system-prompt reminder developer human user assistant model channel thinking',
  'tool-use tool-call tool-calls tool-result tool-results tool-response invoke parameter',
  'function-call function-calls function-result function-results',
  'im-start im-end im-sep endoftext start-of-turn end-of-turn',
  'user-prompt-submit-hook user-instructions environment-context task-notification teammate-message',
  'command-name command-message command-args local-command-stdout local-command-caveat',
]

/** Every tag whose name begins like this is reserved. */
const TAG_PREFIXES = ['antml postern']

const SQUARE_NAMES = ['inst tool-calls tool-results available-tools system-prompt']

const LONGEST_NAME = 32

interface Bracket {
  /** Signs that may stand between the bracket and the name. */
  readonly lead: string
  isReserved(name: string, lead: string, next: string): boolean
  /** True where a text that ends here could be made a reserved tag by whatever is printed after it. */
  isBegun(name: string): boolean
}

const brackets = lazy((): Readonly<Record<string, Bracket>> => ({ '<': angleBracket(), '[': squareBracket() }))

const MAY_OPEN = /[<[&%]|[^\0-\x7f]/

/** Where the brackets of reserved tags stand in a text, in whatever disguise, first to last. */
export function findReserved(text: string): readonly number[] {
  if (!MAY_OPEN.test(text)) return []
  const glyphs = readGlyphs(text)
  const found: number[] = []
  glyphs.forEach((glyph, index) => {
    const bracket = brackets()[glyph.sign]
    if (bracket && found.at(-1) !== glyph.start && opensTag(bracket, glyphs, index)) found.push(glyph.start)
  })
  return found
}

/** Reads on from a bracket, never past the next one: all brackets of a text together read it once. */
function opensTag(bracket: Bracket, glyphs: readonly Glyph[], index: number): boolean {
  let lead = glyphs[index - 1]?.sign === '<' ? '<' : ''
  let at = index + 1
  for (let sign = glyphs[at]?.sign; sign !== undefined && bracket.lead.includes(sign); sign = glyphs[++at]?.sign) {
    if (!lead.includes(sign)) lead += sign
  }

  let name = ''
  for (; at < glyphs.length; at++) {
    const sign = glyphs[at]?.sign ?? ''
    if (endsWord(glyphs, at) && bracket.isReserved(name, lead, sign)) return true
    if (/^[a-z0-9]$/.test(sign)) name += foldLetter(sign)
    else if (sign === ':') name = ''
    else if (name === '' || !/^[-_ ]$/.test(sign)) return false
    if (name.length > LONGEST_NAME) return bracket.isReserved(name, lead, '')
  }
  return bracket.isReserved(name, lead, '') || bracket.isBegun(name)
}

/**
 * Whether some reader sees a name end before this glyph. Besides blanks and punctuation that is so wherever an escape
 * or an invisible character stands between, because it is written out and so cuts the name in two.
 */
function endsWord(glyphs: readonly Glyph[], at: number): boolean {
  const glyph = glyphs[at]
  const isJoined = glyph?.plain === true && glyph.start === glyphs[at - 1]?.end
  return !isJoined || !/^[a-z0-9_-]$/.test(glyph.sign)
}

function angleBracket(): Bracket {
  const names = foldNames(TAG_NAMES)
  const prefixes = [...foldNames(TAG_PREFIXES)]
  return {
    lead: ' /\\|!?',
    isReserved(name, lead, next) {
      if (names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) return true
      if (lead.includes('|') && next === '|') return name !== ''
      if (next !== '>') return false
      return (name === 's' && lead.includes('/')) || (name === 'sys' && lead.includes('<'))
    },
    isBegun: (name) => [...names, ...prefixes].some((reserved) => reserved.startsWith(name)),
  }
}

function squareBracket(): Bracket {
  const names = foldNames(SQUARE_NAMES)
  return {
    lead: ' /\\',
    isReserved: (name, _lead, next) => next === ']' && names.has(name),
    isBegun: (name) => [...names].some((reserved) => reserved.startsWith(name)),
  }
}

/** Names are compared without their separators. */
function foldNames(rows: readonly string[]): ReadonlySet<string> {
  const names = rows.flatMap((row) => row.replaceAll('-', '').split(' '))
  return new Set(names.map((name) => [...name].map(foldLetter).join('')))
}

/** ASCII has look-alikes of its own. */
function foldLetter(letter: string): string {
  if (letter === 'i' || letter === '1') return 'l'
  return letter === '0' ? 'o' : letter
}
