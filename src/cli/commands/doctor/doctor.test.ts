import { expect, it } from 'vitest'
import { formatCheck } from './doctor.ts'

it('neutralises every field of a check, because a server may have written it', () => {
  const hostile = '\x1b]52;c;eA==\x07\nFAIL forged'
  const text = formatCheck({ name: hostile, ok: false, level: 'error', detail: hostile, next: hostile })
  expect(text).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/)
  expect(text.split('\n')).toHaveLength(2)
})
