import { describe, expect, it } from 'vitest'
import { NO_SHADOW, type Shadow } from '../host/shadow.ts'
import type { StandingGate } from '../model/gates.ts'
import type { HookEvent, HookEventName } from './hosts/host.ts'
import { type Absence, answerWithoutStore } from './unavailable.ts'

const NOW = 1_000_000
const ABSENCE: Absence = { why: 'STORE_BUSY', nonce: 'abcdefgh1234', now: NOW, stopCap: 8, showsCopies: false }

describe('without a store', () => {
  it('a strict stop gate holds three times, is passed, and holds three times again', () => {
    const outcomes: boolean[] = []
    let shadow = shadowOf(gate())
    for (let at = 0; at < 8; at++) {
      const fallback = answerWithoutStore(event('turn.stop'), shadow, ABSENCE)
      outcomes.push(fallback.answer.block !== undefined)
      shadow = fallback.shadow
    }
    expect(outcomes).toEqual([true, true, true, false, true, true, true, false])
    expect(shadow.bypassed).toEqual(['gate_1'])
  })

  it('nothing is held more often than the host allows', () => {
    for (const [stopCap, holds] of [
      [1, false],
      [2, true],
      [null, true],
    ] as const) {
      const { answer } = answerWithoutStore(event('turn.stop'), shadowOf(gate()), { ...ABSENCE, stopCap })
      expect([stopCap, answer.block !== undefined]).toEqual([stopCap, holds])
    }
  })

  it('stops that the store counted before count too, so that the hook gives up before the host does', () => {
    for (const [stopCap, counted, holds] of [
      [4, 2, true],
      [4, 3, false],
      [null, 4, true],
      [null, 5, false],
    ] as const) {
      const { answer } = answerWithoutStore(
        event('turn.stop'),
        { ...shadowOf(gate()), counted },
        { ...ABSENCE, stopCap },
      )
      expect([stopCap, counted, answer.block !== undefined]).toEqual([stopCap, counted, holds])
    }
  })

  it('the count starts again after a stop is let through, and the stop of a subagent leaves it unchanged', () => {
    const shadow = { ...shadowOf(gate()), blocks: 1, counted: 4 }
    const released = answerWithoutStore(event('turn.stop'), shadow, ABSENCE)
    expect(released.shadow).toMatchObject({ blocks: 0, counted: 0, bypassed: ['gate_1'] })
    const inside = answerWithoutStore({ ...event('turn.stop'), isSubagent: true }, shadow, ABSENCE)
    expect(inside.shadow).toEqual(shadow)
  })

  it('a session that ends although a gate held it has passed the gate', () => {
    const over = (shadow: Shadow) => answerWithoutStore(event('session.end'), shadow, ABSENCE).shadow.bypassed
    const gates = [gate(), gate({ name: 'gate_2', mode: 'soft' }), gate({ name: 'gate_3', hook: 'tool' })]
    const shadow = shadowOf(...gates, gate({ name: 'gate_4', until: NOW }))
    expect(over({ ...shadow, blocks: 1 })).toEqual(['gate_1'])
    expect(over({ ...shadow, counted: 1 })).toEqual(['gate_1'])
    expect(over(shadow)).toEqual([])
  })

  it('a tool gate holds its tool every time, in a subagent too', () => {
    const shadow = { ...shadowOf(gate({ hook: 'tool', tool: 'Bash' })), blocks: 99 }
    const use = (name: string, isSubagent = false) =>
      answerWithoutStore({ ...event('tool.before'), tool: { name, useId: null }, isSubagent }, shadow, ABSENCE).answer
    expect(use('Bash').block).toContain('because')
    expect(use('Bash', true).block).toContain('because')
    expect(use('Read')).toEqual({})
    expect(answerWithoutStore(event('turn.stop'), shadow, ABSENCE).answer).toEqual({})
  })

  it('a gate that was made to allow is passed beside one that holds, and remembered', () => {
    const shadow = shadowOf(gate(), gate({ name: 'gate_2', onUnavailable: 'allow' }))
    const { answer, shadow: after } = answerWithoutStore(event('turn.stop'), shadow, ABSENCE)
    expect(answer.block).toContain('gate_1')
    expect(answer.block).not.toContain('gate_2')
    expect(answer.notice).toContain('gate_2')
    expect(after.bypassed).toEqual(['gate_2'])
  })

  it('a soft gate warns once and is no pass', () => {
    const shadow = shadowOf(gate({ mode: 'soft', onUnavailable: 'allow' }))
    const first = answerWithoutStore(event('turn.stop'), shadow, ABSENCE)
    expect([first.answer.block, first.answer.notice]).toEqual([undefined, expect.stringContaining('gate_1')])
    expect(first.shadow.bypassed).toEqual([])
    expect(answerWithoutStore(event('turn.stop'), first.shadow, ABSENCE).answer).toEqual({})
  })

  it('a gate whose time is over holds nobody', () => {
    for (const [until, holds] of [
      [NOW - 1, false],
      [NOW, false],
      [NOW + 1, true],
    ] as const) {
      const { answer } = answerWithoutStore(event('turn.stop'), shadowOf(gate({ until })), ABSENCE)
      expect([until, answer.block !== undefined]).toEqual([until, holds])
    }
  })

  it('copies that are shown at a stop count as one more continuation', () => {
    const shown = answerWithoutStore(event('turn.stop'), NO_SHADOW, { ...ABSENCE, showsCopies: true })
    expect(shown.shadow.blocks).toBe(1)
    expect(answerWithoutStore(event('prompt.submit'), shown.shadow, ABSENCE).shadow.blocks).toBe(1)
    expect(answerWithoutStore(event('turn.stop'), shown.shadow, ABSENCE).shadow.blocks).toBe(0)
  })
})

function shadowOf(...gates: readonly StandingGate[]): Shadow {
  return { ...NO_SHADOW, gates }
}

function gate(more: Partial<StandingGate> = {}): StandingGate {
  const { name = 'gate_1' } = more
  return {
    name,
    hook: 'stop',
    tool: null,
    mode: 'strict',
    reason: 'because',
    onUnavailable: 'block',
    until: null,
    ...more,
  }
}

function event(name: HookEventName): HookEvent {
  const none = { sessionId: 'ses-1', cwd: null, tool: null, source: null, firing: null }
  return { name, hostEvent: name, isSubagent: false, isStopActive: false, ...none }
}
