import { describe, expect, it } from 'vitest'
import { archiveName, archiveNumber, locate } from './places.ts'

const ROOT = '/buses'

describe('the location of a bus', () => {
  it('is where the seed says', () => {
    expect(locate({ root: ROOT }, { project_id: 'atlas' })).toMatchObject({
      folder: `${ROOT}/atlas`,
      path: `${ROOT}/atlas/PROJECT-MESSAGE-BUS.md`,
      owned: [`${ROOT}/atlas`],
    })
    expect(locate({ root: ROOT }, { project_id: 'atlas', task_id: 't.1' })).toMatchObject({
      folder: `${ROOT}/atlas/t.1`,
      path: `${ROOT}/atlas/t.1/TASK-MESSAGE-BUS.md`,
      owned: [`${ROOT}/atlas`, `${ROOT}/atlas/t.1`],
    })
  })

  it('is the file that somebody named for it', () => {
    const files = { 'atlas/t': '/elsewhere/MESSAGE-BUS.md' }
    expect(locate({ root: ROOT, files }, { project_id: 'atlas', task_id: 't' })).toEqual({
      place: { project_id: 'atlas', task_id: 't' },
      folder: '/elsewhere',
      path: '/elsewhere/MESSAGE-BUS.md',
      owned: [],
    })
    expect(locate({ root: ROOT, files }, { project_id: 'atlas' }).path).toBe(`${ROOT}/atlas/PROJECT-MESSAGE-BUS.md`)
    expect(locate({ root: ROOT, files }, { project_id: 'constructor' }).folder).toBe(`${ROOT}/constructor`)
  })

  it.each([
    '',
    '.',
    '..',
    'a/b',
    'a\0b',
    '../x',
    '-a',
    'a..b',
    'x'.repeat(129),
    'x'.repeat(4_096),
  ])('is not made of an id such as %j', (id) => {
    expect(() => locate({ root: ROOT }, { project_id: id })).toThrow(
      expect.objectContaining({ code: 'BUS_ID_INVALID' }),
    )
    expect(() => locate({ root: ROOT }, { project_id: 'atlas', task_id: id })).toThrow(
      expect.objectContaining({ code: 'BUS_ID_INVALID' }),
    )
  })
})

describe('the name of an archive', () => {
  it('is that of the file with a number', () => {
    expect(archiveName('/a/TASK-MESSAGE-BUS.md', 1)).toBe('TASK-MESSAGE-BUS.0001.md')
    expect(archiveName('/a/TASK-MESSAGE-BUS.md', 12_345)).toBe('TASK-MESSAGE-BUS.12345.md')
    expect(archiveName('/a/log', 7)).toBe('log.0007')
  })

  it.each([
    ['TASK-MESSAGE-BUS.0001.md', 1],
    ['TASK-MESSAGE-BUS.12345.md', 12_345],
    ['TASK-MESSAGE-BUS.md', undefined],
    ['TASK-MESSAGE-BUS.0000.md', undefined],
    ['TASK-MESSAGE-BUS.1.md', undefined],
    ['TASK-MESSAGE-BUS.0001.md.orig', undefined],
    ['PROJECT-MESSAGE-BUS.0001.md', undefined],
  ])('is known again: %s', (name, number) => {
    expect(archiveNumber('/a/TASK-MESSAGE-BUS.md', name)).toBe(number)
  })
})
