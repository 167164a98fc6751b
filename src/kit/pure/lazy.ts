/** Makes a value when it is first asked for: a program that starts thousands of times a day builds only what it uses. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
