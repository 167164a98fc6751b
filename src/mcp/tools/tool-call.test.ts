import { describe, expect, it } from 'vitest'
import { MAX_WAIT_SECONDS } from '../../operations/tools/tool.ts'
import { waitOf } from './tool-call.ts'

describe('how long a call waits', () => {
  it('is what was asked for, but no longer than hosts let a call last', () => {
    expect([waitOf({}), waitOf({ waitSeconds: 5 })]).toEqual([0, 5])
    for (const waitSeconds of [MAX_WAIT_SECONDS + 1, 2 ** 53, Number.POSITIVE_INFINITY]) {
      expect(waitOf({ waitSeconds })).toBe(MAX_WAIT_SECONDS)
    }
    for (const waitSeconds of [-1, Number.NEGATIVE_INFINITY]) expect(waitOf({ waitSeconds })).toBe(0)
  })
})
