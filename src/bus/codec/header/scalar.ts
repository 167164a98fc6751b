import { isNull } from '../../../kit/pure/yaml-text.ts'
import type { Json } from '../../../model/json.ts'

const BOOLEAN = /^(?:true|True|TRUE|false|False|FALSE)$/
const INTEGER = /^[-+]?[0-9]+$/
const OTHER_BASE = /^0(?:o[0-7]+|x[0-9a-fA-F]+)$/
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/

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

export function formatNumber(value: number): string {
  return Object.is(value, -0) ? '-0.0' : String(value)
}
