const NULLS: readonly string[] = ['', '~', 'null', 'Null', 'NULL']
const LONGEST_NULL = 4

/** Whether a plain scalar says that there is nothing. */
export function isNull(text: string): boolean {
  return text.length <= LONGEST_NULL && NULLS.includes(text)
}

const PLAIN = /^[A-Za-z_/][A-Za-z0-9_./@+=()-]*(?:[ ,:][A-Za-z0-9_./@+=()-]+)*$/
/** Words that one of YAML's ages takes for something else than text. */
const WORD = /^(?:true|false|yes|no|on|off|y|n|null)$/i
/** JSON leaves these as they are, but YAML does not allow them, or takes them for the end of a line. */
const UNPRINTABLE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g

/** A scalar on one line that every YAML reads as this text. */
export function formatText(text: string): string {
  return PLAIN.test(text) && !WORD.test(text) ? text : quote(text)
}

export function quote(text: string): string {
  return JSON.stringify(text).replace(
    UNPRINTABLE,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
