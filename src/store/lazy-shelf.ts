/** Names every method of a shelf, or of a part of one. A missing name does not compile, and neither does an extra one. */
export type MethodsOf<S> = { readonly [M in keyof S]: true }

/**
 * A shelf whose code is loaded with the first call on it. Later calls use the same shelf. A call fails as the shelf
 * itself would; if the code cannot be loaded, every call fails with the reason.
 */
export function lazyShelf<S extends object>(load: () => Promise<S>, methods: MethodsOf<NoInfer<S>>): S {
  let loaded: Promise<S> | undefined
  const forward = (method: string) => {
    return async (params: unknown) => {
      loaded ??= load()
      const shelf = (await loaded) as Readonly<Record<string, (params: unknown) => unknown>>
      return shelf[method]?.(params)
    }
  }
  return Object.fromEntries(Object.keys(methods).map((method) => [method, forward(method)])) as S
}
