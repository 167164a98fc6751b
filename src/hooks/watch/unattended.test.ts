import { expect, it } from 'vitest'
import { isUnattended } from './unattended.ts'

it('is told from what the host says of itself', () => {
  expect(isUnattended({ CLAUDE_CODE_SESSION_ATTENDED: '0', CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })).toBe(true)
  expect(isUnattended({ CLAUDE_CODE_SESSION_ATTENDED: '1', CLAUDE_CODE_ENTRYPOINT: 'cli' })).toBe(false)
})

it('is told from how it was started where it says no more', () => {
  expect(isUnattended({ CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' })).toBe(true)
  expect(isUnattended({ CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' })).toBe(true)
  expect(isUnattended({ CLAUDE_CODE_ENTRYPOINT: 'cli' })).toBe(false)
  expect(isUnattended({})).toBe(false)
})
