import { describe, expect, it } from 'vitest'
import { formatQuiet } from './quiet.ts'

describe('formatQuiet', () => {
  it('says the boot and each spool on a line', () => {
    expect(formatQuiet('boot', ['/a b', '/c'])).toBe('boot\n/a b\n/c\n')
    expect(formatQuiet('boot', [])).toBe('boot\n')
  })

  it('says nothing where a reader could miss a spool', () => {
    for (const spools of [['/a\n/b'], ['/a\r'], [''], ['/a\0']]) expect(formatQuiet('boot', spools)).toBeUndefined()
    expect(formatQuiet('', [])).toBeUndefined()
  })
})
