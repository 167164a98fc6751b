/**
 * Characters that a reader does not see but a terminal or a model obeys: controls, bidirectional overrides, zero-width
 * and tag characters, line separators, lone surrogates, non-characters. Newline and tab are structure and are handled
 * by each surface; the two emoji selectors only choose a glyph.
 */
export const UNSEEN =
  '[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Default_Ignorable_Code_Point}\\p{Noncharacter_Code_Point}]--[\\n\\t\\u{FE0E}\\u{FE0F}]'

/** Writes a character out as its code point, which is visible everywhere and obeyed nowhere. */
export function spellOut(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
