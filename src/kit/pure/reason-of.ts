/**
 * Why something failed, in words, whatever was thrown: the error's message, without its class or stack. Errors that say
 * nothing themselves are looked through: an `AggregateError` without a message (a connection to a name with several
 * addresses) and the "fetch failed" of `fetch`. Without any message it is the error's code or its class.
 */
export function reasonOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { message, cause, name } = thrown
  if (message === 'fetch failed' && cause instanceof Error) return reasonOf(cause)
  if (message !== '') return message
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return thrown.errors.map(reasonOf).join('; ')
  const { code } = thrown as { readonly code?: unknown }
  return typeof code === 'string' ? code : name
}
