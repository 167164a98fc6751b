import type { Json } from '../model/json.ts'

const ONLY_WORDS = /^\{"(?:text|body|message|note)":(.*)\}$/s

/** Whether a payload says nothing but what the content says: nobody reads it twice. */
export function isRepetition(payload: Json | null, content: string): boolean {
  // A text in JSON has no quote inside that is not escaped, so a second field never passes for a part of it.
  return JSON.stringify(payload).replace(ONLY_WORDS, '$1') === JSON.stringify(content)
}
