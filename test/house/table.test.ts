import { describe, expect, it } from 'vitest'
import { formatBreaches } from './breach.ts'
import type { Room } from './rooms.ts'
import { checkUnused, findCycle } from './table.ts'

const room = (rest: Partial<Room> = {}): Room => ({ may: [], remedy: 'ask', ...rest })

describe('checkUnused', () => {
  /** A room of one file that uses everything that a room may be allowed. */
  const FILES = new Map([
    [
      'src/attic/a.ts',
      [
        "import { b } from '../cellar/b.ts'",
        "import type { C } from '../cellar/contract.ts'",
        "import { z } from 'zod/mini'",
        "import { readFileSync } from 'node:fs'",
        "const at = Date.now() + process.env.HOME + run('SELECT 1')",
      ].join('\n'),
    ],
    ['src/cellar/b.ts', "import pg from 'pg'"],
  ])
  const ATTIC: Room = room({
    may: ['cellar'],
    mayAsTypes: ['cellar/contract.ts'],
    packages: ['zod'],
    node: true,
    env: true,
    sql: true,
    clock: true,
  })
  const unusedIn = (attic: Room, cellar = room({ packages: ['pg'] })) =>
    formatBreaches(checkUnused(FILES, { attic, cellar }, []))

  it('finds nothing where every permission is used', () => {
    expect(unusedIn(ATTIC)).toBe('')
  })

  it.each<[string, Partial<Room>, string]>([
    ['a room', { may: ['cellar', 'attic/box'] }, 'attic may import attic/box, but never does'],
    ['a contract', { mayAsTypes: ['cellar/contract.ts', 'cellar/c.ts'] }, 'attic may know cellar/c.ts'],
    ['a package', { packages: ['zod', 'pg'] }, 'attic may import the package pg, but never does'],
    ['a scope', { packages: ['zod', '@redis/'] }, 'attic may import the package @redis/'],
  ])('finds %s that nothing imports', (_what, planted, message) => {
    expect(unusedIn({ ...ATTIC, ...planted })).toContain(message)
  })

  it.each(['node', 'env', 'sql', 'clock'] as const)('finds the permission %s where nothing uses it', (permission) => {
    const cellar = room({ packages: ['pg'], [permission]: true })
    expect(unusedIn(ATTIC, cellar)).toContain(`cellar may use ${permission}, but never does; remove it from the table`)
  })

  it('counts a use by a test as none', () => {
    const files = new Map([['src/attic/a.test.ts', "import 'node:fs'"]])
    expect(formatBreaches(checkUnused(files, { attic: room({ node: true }) }, []))).toContain('attic may use node')
  })

  it('finds an alcove without files', () => {
    const files = new Map([['src/core/gates/close.ts', '']])
    const breaches = formatBreaches(checkUnused(files, { core: room() }, ['gates', 'doors']))
    expect(breaches).toContain('core/doors is an alcove, but empty')
    expect(breaches).not.toContain('core/gates')
  })
})

describe('findCycle', () => {
  it('finds none where every way ends', () => {
    const rooms = { attic: room({ may: ['hall', 'cellar'] }), hall: room({ may: ['cellar'] }), cellar: room() }
    expect(findCycle(rooms)).toBeUndefined()
  })

  it.each<[string, Record<string, Room>, readonly string[]]>([
    ['over two rooms', { attic: room({ may: ['hall'] }), hall: room({ may: ['attic'] }) }, ['attic', 'hall', 'attic']],
    [
      'behind a room that is not part of it',
      { door: room({ may: ['attic'] }), attic: room({ may: ['hall'] }), hall: room({ may: ['attic'] }) },
      ['attic', 'hall', 'attic'],
    ],
    [
      'over a contract',
      { attic: room({ may: ['hall'] }), hall: room({ mayAsTypes: ['attic/contract.ts'] }) },
      ['attic', 'hall', 'attic'],
    ],
    [
      'over a room within another',
      { attic: room({ may: ['hall'] }), hall: room(), 'hall/closet': room({ may: ['attic'] }) },
      ['attic', 'hall/closet', 'attic'],
    ],
  ])('finds one %s', (_how, rooms, cycle) => {
    expect(findCycle(rooms)).toEqual(cycle)
  })

  it('lets a room within another import that one', () => {
    expect(findCycle({ store: room(), 'store/postgres': room({ may: ['store'] }) })).toBeUndefined()
  })
})
