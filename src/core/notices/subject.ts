import { cutToCharacters } from '../../kit/pure/cut.ts'

const SUBJECT_CHARACTERS = 120

/** The first line of a text, cut to the length of a subject. */
export function shorten(text: string): string {
  const [line = ''] = text.split('\n')
  return cutToCharacters(line, SUBJECT_CHARACTERS)
}
