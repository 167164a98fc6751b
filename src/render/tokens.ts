import { utf8Length } from '../model/text.ts'

export const BYTES_PER_TOKEN = 3.5

/** What a model roughly pays for a text. Tokenisers differ; bytes are a careful guide for code, prose and any script. */
export function estimateTokens(text: string): number {
  return Math.ceil(exactTokens(text))
}

/** The same before it is rounded, to add up. */
export function exactTokens(text: string): number {
  return utf8Length(text) / BYTES_PER_TOKEN
}

/** Room that shown text takes. */
export interface Size {
  readonly characters: number
  readonly tokens: number
}
