import { expect, it } from 'vitest'
import { createRecentNames } from './recent-names.ts'

it('never remembers more than its bound, and forgets what it was told first', () => {
  const remembered = createRecentNames(2)
  for (const name of ['a', 'b', 'a', 'c']) remembered.add(name)
  expect(['a', 'b', 'c'].filter(remembered.has)).toEqual(['a', 'c'])
  remembered.clear()
  expect(remembered.has('c')).toBe(false)
})
