import { isUtf8 } from 'node:buffer'
import { isNull } from '../../../kit/pure/yaml-text.ts'
import { countParts, MAX_PARTS, NoStrictMap, readStrictMap } from '../../../kit/yaml/strict-map.ts'
import { createRawHeader, fieldOf, putField, type RawHeader } from './raw-header.ts'
import { resolvePlain } from './scalar.ts'

export interface Refusal {
  readonly refused: string
}

/**
 * What may still be spent on headers that turn out to be none, counted in parts. Honest files have hardly any of them; one
 * after the other they would take a second for a page.
 */
export interface Patience {
  left: number
}

export function createPatience(): Patience {
  return { left: 2 * MAX_PARTS }
}

const PARTS_PER_HEADER = 8

/** Reads any YAML that says a thing in one way only. What is refused is told as the end of a sentence. */
export function readStrictHeader(bytes: Buffer, patience: Patience): RawHeader | Refusal {
  if (!isUtf8(bytes)) return { refused: 'its header is not UTF-8' }
  const text = bytes.toString()
  const parts = PARTS_PER_HEADER + countParts(text)
  if (parts > MAX_PARTS) return { refused: 'its header has too many parts' }
  if (parts > patience.left) return { refused: 'its header is no usual YAML, like too many around it' }
  const read = tryRead(text)
  if ('refused' in read) patience.left -= parts
  return read
}

function tryRead(text: string): RawHeader | Refusal {
  try {
    const header = createRawHeader()
    for (const [name, value] of readStrictMap(text, { resolve })) putField(header, name, fieldOf(name), value)
    return header
  } catch (error) {
    if (error instanceof NoStrictMap) return { refused: `its header ${error.message}` }
    throw error
  }
}

function resolve(text: string, topKey: string) {
  if (fieldOf(topKey)?.holdsTexts !== true) return resolvePlain(text)
  return isNull(text) ? null : text
}
