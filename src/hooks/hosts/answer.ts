type Members = Readonly<Record<string, unknown>>

/** Texts that share one place in an answer, or undefined where there is none. */
export function joinTexts(...texts: readonly (string | undefined)[]): string | undefined {
  const present = texts.filter((text) => text !== undefined && text !== '')
  return present.length === 0 ? undefined : present.join('\n\n')
}

/** The members that say something, or undefined where none does. */
export function gather(members: Members): Members | undefined {
  const present = Object.entries(members).filter(([, member]) => member !== undefined && member !== '')
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

/** One JSON object, or `nothing` where no member says anything. */
export function formatAnswer(members: Members, nothing: '' | '{}'): string {
  const present = gather(members)
  return present === undefined ? nothing : JSON.stringify(present)
}
