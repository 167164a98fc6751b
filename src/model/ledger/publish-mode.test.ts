import { describe, expect, it } from 'vitest'
import { publishModeOf } from './publish-mode.ts'
import type { PublishRules } from './settings.ts'

const RULES: PublishRules = { default: 'hash', types: { fyi: 'full' }, agents: { quinn: 'off' } }

describe('what is published', () => {
  it.each([
    ['fyi', 'quinn', 'full'],
    ['feedback', 'quinn', 'off'],
    ['feedback', 'mindy', 'hash'],
    ['constructor', 'toString', 'hash'],
    ['__proto__', '__proto__', 'hash'],
  ])('goes by the type, else by the sender, else by the default: %s of %s', (type, agent, mode) => {
    expect(publishModeOf(RULES, { type, agent })).toBe(mode)
  })
})
