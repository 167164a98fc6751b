import { lazy } from './lazy.ts'

/** What each sign is drawn like, after compatibility folding. The keys are what reserved tags are made of. */
const DRAWN_LIKE: Readonly<Record<string, string>> = {
  '<': '‹〈⟨《⟪❮❬❰˂ᐸ≪⋖≺⧼⦑⪡⟻ᚲ𝈶⊰︿',
  '>': '›〉⟩》⟫❯❭❱˃ᐳ≫⋗≻⧽⦒⪢𝈷',
  '[': '【〔〖⟦⁅❲⦋',
  ']': '】〕〗⟧⁆❳⦌',
  '/': '⁄∕⧸╱⟋ノ',
  '|': '¦ǀ∣❘│┃‖⏐┆╎',
  '-': '‐‑‒–—―−⁃˗➖',
  _: '▁ˍ‿',
  ':': '∶ː꞉׃։᛬',
  ';': ';',
  '&': 'ꝸ﹠',
  '#': '♯⌗',
  a: 'аαɑᴀΑА∀ꭺ',
  b: 'вЬьʙΒВƅᏏ',
  c: 'сϲᴄСϹⲥᏟ',
  d: 'ԁɗᴅժᏧᗞ',
  e: 'еєᴇҽɛεΕЕѐ℮Ꭼ',
  f: 'ғƒꜰϝẝ',
  g: 'ɡɢԍցᏀ',
  h: 'һнʜհΗНᏂᎻ',
  i: 'іιıɩɪΙІӏӀ',
  j: 'јϳᴊЈ',
  k: 'кκᴋΚКᏦ',
  l: 'ʟℓլⅬ',
  m: 'мᴍΜМϻᎷ',
  n: 'пոηɴΝռᴎ',
  o: 'оοᴏօΟОσⲟ',
  p: 'рρᴘΡРϱᏢ',
  q: 'ԛզ',
  r: 'гᴦʀꭱᎡ',
  s: 'ѕꜱЅՏᏚ',
  t: 'тτᴛΤТᎢ',
  u: 'υսᴜцʋ',
  v: 'νѵᴠѴᏙ',
  w: 'ԝѡᴡɯաᎳ',
  x: 'хχΧХ×ⅹ',
  y: 'уγʏΥУүყ',
  z: 'ᴢΖᏃ',
}

const folds = lazy(
  (): ReadonlyMap<string, string> =>
    new Map(Object.entries(DRAWN_LIKE).flatMap(([sign, likes]) => [...likes].map((like) => [like, sign] as const))),
)

/** Few texts have a character that these are asked about, and to read their properties takes a millisecond. */
const invisible = lazy(() => /[\p{M}\p{Cf}\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}]/u)
const blank = lazy(() => /[\s\p{Z}\u2800]/u)

/**
 * No character with more parts than this has visible ASCII among them, so none of those can spell a tag. U+FDFA has
 * eighteen, and folding them all takes long.
 */
const MOST_PARTS = 7

/** The first code points of three rows of A to Z that compatibility folding leaves alone. */
const LETTER_ROWS: readonly number[] = [0x1f150, 0x1f170, 0x1f1e6]

/**
 * The ASCII a hurried reader takes a character for, in lower case: several signs for a ligature, none for what is not
 * drawn, a space for anything blank. Characters that look like nothing in ASCII come back as they are.
 */
export function foldCharacter(character: string): string {
  if (character >= '!' && character <= '~') return character.toLowerCase()
  if (blank().test(character)) return ' '
  const parts = character.normalize('NFKD')
  if (parts.length > MOST_PARTS) return character
  let folded = ''
  for (const part of parts) {
    if (!invisible().test(part)) folded += foldPart(part)
  }
  return folded
}

function foldPart(part: string): string {
  if (blank().test(part)) return ' '
  const lower = part.toLowerCase()
  return folds().get(part) ?? folds().get(lower) ?? rowLetter(part) ?? lower
}

function rowLetter(part: string): string | undefined {
  const code = part.codePointAt(0) ?? 0
  const row = LETTER_ROWS.find((first) => code >= first && code < first + 26)
  return row === undefined ? undefined : String.fromCharCode(0x61 + code - row)
}
