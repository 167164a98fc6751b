import { describe, expect, it } from 'vitest'
import { checkAwaits } from './awaits.ts'
import { type Check, formatBreaches } from './breach.ts'
import { checkPurity } from './purity.ts'
import { ALCOVES, ROOMS } from './rooms.ts'
import { checkFileNames, checkFileSizes, checkFolderSizes, checkTestPlaces, checkWords } from './shape.ts'
import { checkUnused, findCycle } from './table.ts'
import { readTree } from './tree.ts'
import { checkWalls } from './walls.ts'

const CHECKS: readonly [rule: string, check: Check][] = [
  ['every import keeps to the walls', checkWalls],
  ['every permission of the table of rooms is used', checkUnused],
  ['no room does what it must ask others for', checkPurity],
  ['a verb awaits nothing but its transaction', checkAwaits],
  ['no file is larger than its stop', checkFileSizes],
  ['no folder holds more than its stop', checkFolderSizes],
  ['every file is named for what it holds', checkFileNames],
  ['every unit test stands beside its source', checkTestPlaces],
  ['no identifier holds a retired word', checkWords],
]

const files = readTree('src', 'test')

it('reads the house', () => {
  expect(files.has('src/model/message.ts')).toBe(true)
  expect(files.has('test/house/house.test.ts')).toBe(true)
})

describe('the house', () => {
  it.each(CHECKS)('%s', (_rule, check) => {
    expect(formatBreaches(check(files))).toBe('')
  })
})

describe('the table of rooms', () => {
  it('names only rooms and files that it knows', () => {
    const known = new Set(Object.keys(ROOMS))
    for (const [name, { may, mayAsTypes = [] }] of Object.entries(ROOMS)) {
      for (const target of may) expect(known, `${name} may import ${target}`).toContain(target)
      for (const target of mayAsTypes) expect(known, `${name} may know ${target}`).toContain(target.split('/')[0])
    }
  })

  it('lets no door into the heart or the cellar', () => {
    for (const door of ['cli', 'hooks', 'hooks/hosts', 'server', 'mcp', 'client']) {
      const { may = [], mayAsTypes = [] } = ROOMS[door] ?? {}
      expect([...may, ...mayAsTypes].filter((target) => /^(core|store)\b/.test(target))).toEqual([])
    }
  })

  it('gives every alcove of core one place', () => {
    expect(ALCOVES.filter((alcove, at) => ALCOVES.indexOf(alcove) !== at)).toEqual([])
  })

  it('leads no room back to itself', () => {
    expect(findCycle()).toBeUndefined()
  })

  it('keeps drivers, schemas, SQL and the environment where they belong', () => {
    const roomsWith = (has: (room: (typeof ROOMS)[string]) => boolean | undefined) =>
      Object.keys(ROOMS).filter((name) => has(ROOMS[name] as (typeof ROOMS)[string]))
    expect(roomsWith((room) => room.packages?.includes('zod'))).toEqual(['operations'])
    expect(roomsWith((room) => room.packages?.includes('pg'))).toEqual(['store/postgres', 'wires/postgres'])
    expect(roomsWith((room) => room.sql)).toEqual(['store', 'store/postgres'])
    expect(roomsWith((room) => room.env)).toEqual(['cli', 'host'])
  })
})
