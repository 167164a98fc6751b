import { expect, it } from 'vitest'
import { createRecentNames } from './recent-names.ts'

it('never holds more names than its bound, and drops the oldest first', () => {
  const remembered = createRecentNames(2)
  for (const name of ['a', 'b', 'a', 'c']) remembered.add(name)
  expect(['a', 'b', 'c'].filter(remembered.has)).toEqual(['a', 'c'])
  remembered.clear()
  expect(remembered.has('c')).toBe(false)
})
