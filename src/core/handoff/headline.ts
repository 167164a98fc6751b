import { cutToCharacters } from '../../kit/pure/cut.ts'

const HEADLINE_CHARACTERS = 200

/** What an item is about: its first line that says anything. */
export function headlineOf(body: string): string {
  const [line = ''] = /\S[^\r\n]*/.exec(body) ?? []
  return cutToCharacters(line.trimEnd(), HEADLINE_CHARACTERS)
}
