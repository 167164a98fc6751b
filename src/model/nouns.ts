type Input = Readonly<Record<string, unknown>>

/** A method of a `Postern`, whatever its input and answer. */
export type AnyMethod = (input?: Input) => Promise<unknown>

/** Groups the methods of a `Postern` by noun. `bind` makes the method of each name, such as `inbox.push`. */
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
