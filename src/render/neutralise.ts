import { lazy } from '../kit/pure/lazy.ts'
import { findReserved } from './reserved.ts'
import { spellOut, UNSEEN } from './unseen.ts'

/**
 * The kind of place that a text is put in. Characters that the place cannot bear are written as `spelling` says, or
 * else as their code point.
 */
export interface Surface {
  readonly refuses: (text: string) => RegExp
  readonly spelling: Readonly<Record<string, string>>
}

/** Several lines; whoever prints them puts a prefix before each. */
export const BLOCK: Surface = { refuses: refusing(''), spelling: {} }

/** A line that the text has to itself up to its end. */
export const LINE: Surface = { refuses: refusing('\\n\\t'), spelling: { '\n': '\\n', '\t': ' ' } }

/** Between double quotes. The backslash is doubled, so that the closing quote can be told from an escaped one. */
export const QUOTED: Surface = {
  refuses: refusing('\\n\\t"\\\\'),
  spelling: { '\n': '\\n', '\t': '\\t', '"': '\\"', '\\': '\\\\' },
}

/** A name among other words: it cannot imitate the brackets and quotes around it. */
export const NAME: Surface = { refuses: refusing('\\n\\t"\\[\\]\\(\\)'), spelling: { '\n': '\\n', '\t': ' ' } }

/** An identifier among separators: nothing but what identifiers are made of. */
export const TOKEN: Surface = { refuses: () => OUTSIDE_TOKENS, spelling: {} }

const OUTSIDE_TOKENS = /[^A-Za-z0-9._:@/#+-]/gu

/** None of these is unseen, and most texts have no others: then what is unseen need not be known, which takes a while. */
const COMMON = /^[\n\t -~]*$/

function refusing(more: string): Surface['refuses'] {
  const amongCommon = lazy(() => new RegExp(`[${more}]`, 'g'))
  const amongAll = lazy(() => new RegExp(`[[${UNSEEN}][${more}]]`, 'gv'))
  return (text) => (COMMON.test(text) ? amongCommon() : amongAll())
}

/**
 * Makes text of somebody else harmless: what is unseen becomes visible, and the bracket of every reserved tag is
 * written out as its code point. Everything else stays as it was said. Takes time linear in the text.
 */
export function neutralise(text: string, surface: Surface): string {
  const unified = text.replaceAll('\r\n', '\n')
  const write = (part: string) => part.replace(surface.refuses(part), (one) => surface.spelling[one] ?? spellOut(one))
  let shown = ''
  let from = 0
  for (const at of findReserved(unified)) {
    const bracket = String.fromCodePoint(unified.codePointAt(at) ?? 0)
    shown += write(unified.slice(from, at)) + spellOut(bracket)
    from = at + bracket.length
  }
  return shown + write(unified.slice(from))
}

/** Neutralises text and cuts it to a size: characters, unless `sizeOf` counts something else. */
export function neutraliseTo(max: number, text: string, surface: Surface, sizeOf = lengthOf): string {
  // Reading further could not show more: few characters are shown in less room than they take in the text.
  const enough = 4 * (max + 1)
  return cut(neutralise(text.length > enough ? `${text.slice(0, enough)}…` : text, surface), max, sizeOf)
}

function cut(shown: string, max: number, sizeOf: (character: string) => number): string {
  if (sizeOf === lengthOf && shown.length <= max) return shown
  let size = 0
  let end = 0
  let room = 0
  for (const character of shown) {
    size += sizeOf(character)
    if (size > max) return `${withoutLooseEnd(shown.slice(0, room))}…`
    end += character.length
    if (size < max) room = end
  }
  return shown
}

/** Cutting must not make a tag of what was none, as when a longer word begins with a reserved name. */
function withoutLooseEnd(start: string): string {
  const whole = start.replace(/\\(?:u(?:\{[0-9a-f]{0,6})?)?$/, '')
  return whole.slice(0, findReserved(`${whole}…`)[0])
}

function lengthOf(character: string): number {
  return character.length
}
