import { describe, expect, it } from 'vitest'
import { storeError } from './errors.ts'

/** What a user is told of an error with this code of PostgreSQL's. */
function told(code: string): unknown {
  const error = storeError(Object.assign(new Error('it failed'), { code }), 'postgres://server/db', 1)
  return (error as { readonly code: string }).code
}

describe("PostgreSQL's errors", () => {
  it('calls a store damaged only where its data or an index is', () => {
    expect([told('XX001'), told('XX002')]).toEqual(['STORE_CORRUPT', 'STORE_CORRUPT'])
  })

  it("leaves the server's other internal errors what they are", () => {
    expect(told('XX000')).toBe('XX000')
  })
})
