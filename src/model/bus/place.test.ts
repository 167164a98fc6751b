import { describe, expect, it } from 'vitest'
import { meaningOf, parseEntryType } from './meaning.ts'
import { isBusId, parseBusId, parsePlace, parsePlaceName, placeName } from './place.ts'

describe('an id', () => {
  it.each(['p', 'conductor-loop', 'task-20260205-docs', 'v1.2_x', '012', `${'x'.repeat(128)}`])('may be %j', (id) => {
    expect(parseBusId('project_id', id)).toBe(id)
  })

  it.each([
    '',
    '.',
    '..',
    'a..b',
    '.git',
    '-rf',
    '_x',
    'a/b',
    'a\\b',
    'a b',
    'a\0',
    'a\nb',
    'ä',
    'x'.repeat(129),
    'x'.repeat(4_096),
  ])('may not be %j', (id) => {
    expect(isBusId(id)).toBe(false)
    expect(() => parseBusId('task_id', id)).toThrow(expect.objectContaining({ code: 'BUS_ID_INVALID' }))
  })

  it('is text', () => {
    for (const value of [undefined, null, 12, {}]) expect(isBusId(value)).toBe(false)
  })
})

describe('a place', () => {
  it('is nothing but its two ids', () => {
    const input = { project_id: 'p', task_id: 't', body: 'x' }
    expect(parsePlace(input)).toStrictEqual({ project_id: 'p', task_id: 't' })
    expect(parsePlace({ project_id: 'p' })).toStrictEqual({ project_id: 'p' })
    expect(() => parsePlace({ project_id: 'p', task_id: '' })).toThrow(/task_id/)
  })

  it('is called as it is read', () => {
    for (const name of ['p', 'p/t']) expect(placeName(parsePlaceName(name))).toBe(name)
    for (const name of ['', '/', 'p/', '/t', 'p/t/u', 'p/../q'])
      expect(() => parsePlaceName(name)).toThrow(expect.objectContaining({ code: 'BUS_ID_INVALID' }))
  })
})

describe('a type', () => {
  it('is written in capitals, and by what it means', () => {
    expect(['fact', ' Question ', 'RUN_START', 'run_stop', 'DEPLOYED'].map(parseEntryType)).toEqual([
      'FACT',
      'QUESTION',
      'START',
      'STOP',
      'DEPLOYED',
    ])
    expect(meaningOf('constructor')).toBe('CONSTRUCTOR')
  })

  it.each(['', 'A B', '1ST', 'FACT:', 'É', 'X'.repeat(65), 12, undefined])('may not be %j', (type) => {
    expect(() => parseEntryType(type)).toThrow(expect.objectContaining({ code: 'BUS_TYPE_INVALID' }))
  })
})
