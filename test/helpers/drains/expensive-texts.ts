import type { Postern } from '../../../src/model/postern.ts'

/**
 * The texts that cost the renderer most, of those that a fuzz of code points, patterns of up to six parts and long runs
 * has found. Each costs about a millisecond per kilobyte, ten times as much as plain Chinese. `cost-of-text.test.ts`
 * repeats the fuzz.
 */
export const EXPENSIVE: Readonly<Record<string, string>> = {
  'a ligature of eighteen parts': '\ufdfa',
  'a square of six parts': '\u3316',
  'a bracketed word': '\u321d',
  'a letter of two cases': '\u01c5',
  'tags that are never closed': '<a',
  'nothing but brackets': '<',
  'combining marks': 'e\u0301\u0302\u0303\u0304',
  'named entities': '&lt',
  'numeric entities': '&#60',
  'nested entities': '&amp;',
  'percent escapes': '%25',
  'invisible characters': '\u200b',
  'broken pairs': '\ud800x',
  'line ends': '\r\n\r\n\r\n\r\nx',
}

const CONTENT_BYTES = 64 * 1024

/** Pushes critical messages of 64 KB to quinn, each of which repeats one of the patterns. */
export async function pushExpensive({ inbox }: Postern, patterns: readonly string[], count: number): Promise<void> {
  const contents = patterns.map((pattern) => filled(pattern, CONTENT_BYTES))
  const messages = Array.from({ length: count }, (_, at) => contents[at % contents.length] ?? '')
  await inbox.pushMany({ messages: messages.map((content) => ({ to: ['quinn'], content, priority: 0 })) })
}

/** As many repetitions of a pattern as fit into so many bytes of UTF-8. */
export function filled(pattern: string, bytes: number): string {
  return pattern.repeat(Math.floor(bytes / Buffer.byteLength(pattern))).toWellFormed()
}
