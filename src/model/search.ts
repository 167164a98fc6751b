/** A query's parts: words that must follow each other, the last of them perhaps a prefix. */
export interface SearchPart {
  readonly words: readonly string[]
  readonly prefix: boolean
}

const MAX_PARTS = 20

/** Splits text into the words that are searched: runs of letters, digits and marks, in lower case. */
export function searchableWords(text: string): string[] {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  )
}

/**
 * Reads what a person types: words, "phrases in quotes", and beginnings such as `deploy*`. All parts must match.
 * Nothing in it is an operator, so no query is ever an error; one without any word has no parts.
 */
export function parseSearch(query: string): SearchPart[] {
  const parts: SearchPart[] = []
  for (const [, phrase, word = ''] of query.matchAll(/"([^"]*)"?|(\S+)/g)) {
    const words = searchableWords(phrase ?? word)
    if (words.length > 0) parts.push({ words, prefix: phrase === undefined && word.endsWith('*') })
  }
  return parts.slice(0, MAX_PARTS)
}
