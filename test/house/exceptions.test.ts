import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { MAKERS } from '../conformance/makers.ts'

const FOLDER = join(import.meta.dirname, '../conformance')

/** The names of all rules that the suites state. */
const RULES = new Set(
  globSync('**/*.test.ts', { cwd: FOLDER }).flatMap((file) =>
    [...readFileSync(join(FOLDER, file), 'utf8').matchAll(/\brule\(\s*(['"`])(.*?)\1,/g)].map(
      ([, , name = '']) => name,
    ),
  ),
)

describe.each(MAKERS)('the exceptions of $name', ({ exceptions }) => {
  it('name only rules that exist', () => {
    expect(RULES.size).toBeGreaterThan(100)
    expect(Object.keys(exceptions).filter((name) => !RULES.has(name))).toEqual([])
  })
})
