import { expect, it } from 'vitest'
import { sortedJson } from './sorted-json.ts'

it('is the same for the same value, whatever the order of its fields', () => {
  expect(sortedJson({ b: [{ d: 1, c: 2 }], a: null })).toBe('{"a":null,"b":[{"c":2,"d":1}]}')
  expect(sortedJson({ a: null, b: [{ c: 2, d: 1 }] })).toBe(sortedJson({ b: [{ d: 1, c: 2 }], a: null }))
})

it('keeps the order of lists, and leaves out what JSON leaves out', () => {
  expect(sortedJson([2, 1, undefined])).toBe('[2,1,null]')
  expect(sortedJson({ b: undefined, a: 'x' })).toBe('{"a":"x"}')
})
