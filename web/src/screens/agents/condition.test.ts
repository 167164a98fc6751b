import { describe, expect, it } from 'vitest'
import type { AgentStatus } from '../../../../src/model/postern.ts'
import { conditionOf, hookHealthOf, wakeRouteOf } from './condition.ts'

const session = { liveness: 'alive', endedAt: null, idleSince: null, lastEventAt: 0 } as unknown as NonNullable<
  AgentStatus['session']
>
const status = (more: object | null, pending = 0) =>
  ({ pending, session: more === null ? null : { ...session, ...more } }) as AgentStatus

describe('the condition of an agent', () => {
  it('is told by its session', () => {
    expect(conditionOf(status(null))).toBe('unknown')
    expect(conditionOf(status({}))).toBe('working')
    expect(conditionOf(status({ idleSince: 5 }))).toBe('idle')
    expect(conditionOf(status({ liveness: 'gone' }))).toBe('stopped')
    expect(conditionOf(status({ endedAt: 5 }))).toBe('stopped')
  })

  it('has hooks that worry only where it works, is silent and mail waits', () => {
    const hour = 3_600_000
    expect(hookHealthOf(status({}, 3), hour).ok).toBe(false)
    expect(hookHealthOf(status({}, 0), hour).ok).toBe(true)
    expect(hookHealthOf(status({ idleSince: 1 }, 3), hour).ok).toBe(true)
    expect(hookHealthOf(status(null), hour).ok).toBe(false)
  })

  it('is woken as is usual for its host, which says nothing of how it is set up', () => {
    for (const host of ['claude-code', 'codex', 'gemini']) expect(wakeRouteOf(host)).toMatch(/^usually /)
    expect(wakeRouteOf(undefined)).toMatch(/^none/)
  })
})
