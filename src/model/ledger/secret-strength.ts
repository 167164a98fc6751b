/** What stands in place of a secret, or says where it is: a variable, a path, an address, a blank, an id, a checksum. */
const STAND_IN =
  /^(?:[$%*…/~]|\.{1,2}\/|x+$|[a-z][a-z0-9+.-]{1,20}:\/\/|sha(?:1|256|384|512)[:-]|[a-z]{2,5}_[0-9A-Z]{26}$)|example|placeholder|redacted|change_?me|your[_-]/i
/** A name in a program, such as `config.db1.password`. */
const PATH_IN_CODE = /^[a-z_$][\w$]*(?:\.[a-z_$][\w$]*)+$/i
const RANDOM_LENGTH = 16
const RANDOM_BITS = 3
const LETTERS = 3

/** What somebody may well use as a password: letters and digits, and not a stand-in for one. */
export function isStrong(text: string): boolean {
  if (STAND_IN.test(text) || PATH_IN_CODE.test(text)) return false
  const letters = text.replace(/[^A-Za-z]/g, '').length
  return letters >= LETTERS && /[0-9]/.test(text)
}

/** What nobody would have written by hand. */
export function isRandom(text: string): boolean {
  return text.length >= RANDOM_LENGTH && isStrong(text) && bitsPerCharacter(text) >= RANDOM_BITS
}

/** Shannon's entropy of the characters of a text. */
function bitsPerCharacter(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}
