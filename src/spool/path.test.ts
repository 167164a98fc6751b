import { basename, dirname, join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quarantinePath, sessionOf, spoolPath, statePath } from './path.ts'

const ROOT = '/projects/one'
const FOLDER = join(ROOT, '.runtime', 'inject-queue')

describe('the place of a spool', () => {
  it("is the seed's, for every id that is harmless", () => {
    for (const id of ['6f1c0c52-0f5e-4b7e-9f5e-2a1d', 'ses_01J', 'a.b-c', 'X'.repeat(200)]) {
      expect(spoolPath(ROOT, id)).toBe(join(FOLDER, `${id}.jsonl`))
      expect(sessionOf(`${id}.jsonl`)).toBe(id)
    }
  })

  it.each([
    ['../../etc/passwd', '%2E.%2F..%2Fetc%2Fpasswd.jsonl'],
    ['/etc/passwd', '%2Fetc%2Fpasswd.jsonl'],
    ['..', '%2E..jsonl'],
    ['.', '%2E.jsonl'],
    ['.hidden', '%2Ehidden.jsonl'],
    ['-rf', '%2Drf.jsonl'],
    ['a b\n\0c', 'a%20b%0A%00c.jsonl'],
    ['%2E', '%252E.jsonl'],
    ['tilde~', 'tilde%7E.jsonl'],
    ['ü', '%C3%BC.jsonl'],
  ])('encodes %j', (id, name) => {
    expect(spoolPath(ROOT, id)).toBe(join(FOLDER, name))
  })

  it('never leaves its folder, fits into a file system, and is no two ids', () => {
    const ids = fc.oneof(fc.string({ unit: 'binary', maxLength: 600 }), fc.stringMatching(/^[./~%a-z-]{0,300}$/))
    fc.assert(
      fc.property(ids, ids, (one, other) => {
        const path = spoolPath(ROOT, one)
        expect(dirname(resolve(path))).toBe(FOLDER)
        expect(basename(path)).toMatch(/^[A-Za-z0-9%~][A-Za-z0-9%~._-]*\.jsonl$/)
        expect(basename(path).length).toBeLessThan(220)
        if (one !== other) expect(spoolPath(ROOT, other)).not.toBe(path)
      }),
    )
  })

  it('is never that of what lies beside a spool', () => {
    const spool = spoolPath(ROOT, 'quarantine')
    expect(statePath(spool)).toBe(join(FOLDER, 'quarantine.state'))
    expect(quarantinePath(spool)).toBe(join(FOLDER, 'quarantine', 'quarantine.jsonl'))
    expect(spoolPath(ROOT, 'quarantine.state')).toBe(join(FOLDER, 'quarantine.state.jsonl'))
    expect(sessionOf('quarantine.state')).toBeUndefined()
  })
})
