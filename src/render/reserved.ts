import { lazy } from '../kit/pure/lazy.ts'
import { type Glyph, readGlyphs } from './glyphs.ts'

/**
 * Tags by which hosts and model formats speak to a model. Nothing that a message says may look like one. Hosts add new tags
 * of several words with every version, so all of those are reserved, except right behind a word, as in `vector<size_t>`.
 */
const TAG_NAMES = [
  'system reminder developer human user assistant model channel s think thinking thought thoughts reasoning analysis',
  'commentary invoke parameter endoftext bash ide skill skills task wake relay heartbeat memory transcript conversation',
  'exchanges agents subagent environment environments permissions instruction instructions rules guidelines diagnostics',
  // These count with blanks between their words, or with nothing between them, too.
  'im-start im-end im-sep start-of-turn end-of-turn command-name command-message command-args',
  'local-command-stdout local-command-caveat teammate-message task-notification system-reminder system-prompt',
  'user-instructions environment-context user-prompt-submit-hook',
]

/** Every tag whose name begins like this is reserved. */
const TAG_PREFIXES = ['antml postern tool function hook']

/** Tags of several words that begin with one of these are reserved right behind a word too. Those of today's hosts do. */
const FIRST_WORDS = [
  'activated active agent agents apps artifact authorized automation available background bash body cc cell citation classifier',
  'claude codex collaboration command complexity content context coordinator cross current cursor duration environment environments',
  'estimating extension file git global guardian how image intent interrupted key loaded local managed mcp memory model multi new',
  'node not oai original overall partial pasted permission persisted persistent plugins previous project proposed realtime recent',
  'recommended repl resource rollout sandbox send session situations skills source special startup state subagent system target',
  'task thread total transcript truncated turn untrusted user webhook when workspace',
]

const SQUARE_NAMES = ['inst tool-calls tool-results available-tools system-prompt']

const LONGEST_NAME = 32

/** What follows a bracket, up to a place where some reader sees the name end. */
interface TagName {
  /** Without separators. */
  readonly name: string
  /** The signs between the bracket and the name. */
  readonly lead: string
  /** The sign after it; empty at the end of the text. */
  readonly next: string
  /** Its first word, if a hyphen or an underscore joins it to another; else empty. */
  readonly firstWord: string
  /** Whether the bracket stands right behind a word, as that of a type parameter does. */
  readonly isBehindWord: boolean
}

interface Bracket {
  /** Signs that may stand between the bracket and the name. */
  readonly lead: string
  isReserved(tag: TagName): boolean
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
    if (bracket && found.at(-1) !== glyph.start && opensTag(bracket, glyphs, index, text)) found.push(glyph.start)
  })
  return found
}

/** Reads on from a bracket, never past the next one: all brackets of a text together read it once. */
function opensTag(bracket: Bracket, glyphs: readonly Glyph[], index: number, text: string): boolean {
  const isBehindWord = standsBehindWord(glyphs, index, text)
  let lead = glyphs[index - 1]?.sign === '<' ? '<' : ''
  let at = index + 1
  for (let sign = glyphs[at]?.sign; sign !== undefined && bracket.lead.includes(sign); sign = glyphs[++at]?.sign) {
    if (!lead.includes(sign)) lead += sign
  }

  let name = ''
  let before = ''
  let firstWord = ''
  let isFirst = true
  for (; at < glyphs.length; at++) {
    const sign = glyphs[at]?.sign ?? ''
    if (endsWord(glyphs, at) && bracket.isReserved({ name, lead, next: sign, firstWord, isBehindWord })) return true
    if (/^[a-z0-9]$/.test(sign)) {
      if (isFirst && /[-_]/.test(before)) {
        firstWord = name
        isFirst = false
      }
      name += foldLetter(sign)
    } else if (sign === ':') {
      name = ''
      isFirst = true
    } else if (name === '' || !/^[-_ ]$/.test(sign)) return false
    before = name === '' ? '' : sign
    if (name.length > LONGEST_NAME) return bracket.isReserved({ name, lead, next: '', firstWord, isBehindWord: false })
  }
  return bracket.isReserved({ name, lead, next: '', firstWord, isBehindWord }) || bracket.isBegun(name)
}

/** Whether a bracket that is written as itself stands right behind a word or a closing parenthesis that is written so too. */
function standsBehindWord(glyphs: readonly Glyph[], index: number, text: string): boolean {
  const [before, bracket] = [glyphs[index - 1], glyphs[index]]
  if (!before?.plain || !bracket?.plain || before.end !== bracket.start) return false
  return /^[A-Za-z0-9_)]<$/.test(text.slice(before.start, bracket.end))
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
  const firstWords = foldNames(FIRST_WORDS)
  return {
    lead: ' /\\|!?',
    isReserved({ name, lead, next, firstWord, isBehindWord }) {
      // A closing tag usually stands right behind a word.
      const mayBeType = isBehindWord && lead === '' && !firstWords.has(firstWord)
      const isCompoundTag = firstWord !== '' && !mayBeType
      if (isCompoundTag || names.has(name) || prefixes.some((prefix) => name.startsWith(prefix))) return true
      if (lead.includes('|') && next === '|') return name !== ''
      return next === '>' && name === 'sys' && lead.includes('<')
    },
    isBegun: (name) => [...names, ...prefixes].some((reserved) => reserved.startsWith(name)),
  }
}

function squareBracket(): Bracket {
  const names = foldNames(SQUARE_NAMES)
  return {
    lead: ' /\\',
    isReserved: ({ name, next }) => next === ']' && names.has(name),
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
