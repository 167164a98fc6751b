const SUBJECT_CHARACTERS = 120

/** The first line of a text, cut to the length of a subject. */
export function shorten(text: string): string {
  const [line = ''] = text.split('\n')
  return line.length > SUBJECT_CHARACTERS ? `${line.slice(0, SUBJECT_CHARACTERS - 1).toWellFormed()}…` : line
}
