/** Set by `npm run test:long`. */
export const isLong = process.env['POSTERN_LONG'] === '1'

/** So many cases in a quick run, and many times as many in a long one. */
export function casesOf(quick: number): { readonly numRuns: number } {
  return { numRuns: isLong ? 12 * quick : quick }
}

export const PROPERTY_TIMEOUT_MS = isLong ? 1_800_000 : 120_000
