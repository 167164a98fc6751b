import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createUlid, ulidFloor } from './ulid.ts'

const AT = Date.UTC(2026, 0, 15)

describe('a ULID', () => {
  it('is ten characters of time and sixteen of the random bytes, each of which is used once', () => {
    let asked = 0
    const ulid = createUlid({
      now: () => AT,
      randomBytes: (length) => Uint8Array.from({ length }, () => asked++ >> 4),
    })
    const ids = Array.from({ length: 200 }, ulid)
    for (const [nth, id] of ids.entries()) {
      expect(id).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/)
      expect(id.slice(0, 10)).toBe(ulidFloor(AT))
      expect(id.slice(10)).toBe('0123456789ABCDEFGHJKMNPQRSTVWXYZ'.charAt((nth & 0xff) % 32).repeat(16))
    }
  })

  it('says nothing about the next one of the same millisecond', () => {
    const ulid = createUlid({ now: () => AT, randomBytes })
    const ids = Array.from({ length: 1_000 }, ulid)
    expect(new Set(ids.map((id) => id.slice(10, 18))).size).toBe(1_000)
    const rises = ids.filter((id, nth) => id > (ids[nth - 1] ?? '')).length
    expect(rises).toBeGreaterThan(350)
    expect(rises).toBeLessThan(650)
  })

  it('sorts after those of earlier milliseconds, and after the floor of its own', () => {
    let at = AT
    const ulid = createUlid({ now: () => at, randomBytes })
    const earlier = ulid()
    at += 1
    expect(earlier < ulidFloor(at)).toBe(true)
    expect(ulid() > ulidFloor(at)).toBe(true)
  })
})
