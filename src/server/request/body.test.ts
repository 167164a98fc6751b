import { describe, expect, it } from 'vitest'
import { isShallow, parseBody } from './body.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('a body', () => {
  it('is nested only so deep, whatever stands in its strings', () => {
    expect(isShallow(nested(36))).toBe(true)
    expect(isShallow(nested(37))).toBe(false)
    expect(isShallow(nested(200_000))).toBe(false)
    expect(isShallow('{"a":'.repeat(50))).toBe(false)
    expect(isShallow(JSON.stringify({ a: '['.repeat(1_000), b: `\\"${'{'.repeat(100)}` }))).toBe(true)
    expect(isShallow(`${'[],'.repeat(1_000)}[]`)).toBe(true)
  })

  it('is an object, or nothing', () => {
    expect(parseBody('')).toEqual({})
    expect(parseBody('{"a":1}')).toEqual({ a: 1 })
    for (const text of ['[]', '1', 'null', '"a"', '{', 'a=1', '{"a":1}x', '\u0000', nested(100)]) {
      expect(() => parseBody(text)).toThrow(expect.objectContaining({ code: 'BODY_INVALID' }))
    }
  })

  it('cannot give an object another prototype', () => {
    const body = parseBody('{"__proto__":{"isAdmin":true}}')
    expect(body['isAdmin']).toBeUndefined()
    expect({}).not.toHaveProperty('isAdmin')
  })
})
