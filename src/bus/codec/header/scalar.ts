import type { Json } from '../../../model/json.ts'

const NULLS: readonly string[] = ['', '~', 'null', 'Null', 'NULL']
const LONGEST_NULL = 4
const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/
const INTEGER = /^[-+]?[0-9]+$/
const OTHER_BASE = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/

export function isNull(text: string): boolean {
  return text.length <= LONGEST_NULL && NULLS.includes(text)
}

/**
 * What a plain scalar means by YAML's core schema. A number that JavaScript would change stays the text that it is: ids are
 * often long numbers.
 */
export function resolvePlain(text: string): Json {
  if (isNull(text)) return null
  if (BEGINS_TEXT[text.charCodeAt(0)] !== 0) return text
  if (BOOLEAN.test(text)) return text[0] === 't' || text[0] === 'T'
  if (INTEGER.test(text)) return readInteger(text)
  if (OTHER_BASE.test(text)) return readInteger(text)
  if (!FLOAT.test(text)) return text
  const value = Number(text)
  return Number.isFinite(value) ? value : text
}

/** For characters of ASCII: 0 where something may begin with it that is not simply text. */
const BEGINS_TEXT = Uint8Array.from({ length: 128 }, (_, code) =>
  /[-+.0-9tTfF]/.test(String.fromCharCode(code)) ? 0 : 1,
)

function readInteger(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) || String(value) === text ? value : text
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

export function formatNumber(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value)
}
