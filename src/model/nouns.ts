type Input = Readonly<Record<string, unknown>>

/** Calls an operation, whatever it takes and answers. */
export type AnyMethod = (input?: Input) => Promise<unknown>

/** The methods of a `Postern`, grouped by noun, from one function that is given the name `noun.verb`. */
export function bindNouns<Name extends string>(
  names: readonly Name[],
  bind: (name: Name) => AnyMethod,
): Record<string, Record<string, AnyMethod>> {
  const nouns: Record<string, Record<string, AnyMethod>> = {}
  for (const name of names) {
    const [noun = '', verb = ''] = name.split('.')
    nouns[noun] ??= {}
    nouns[noun][verb] = bind(name)
  }
  return nouns
}
