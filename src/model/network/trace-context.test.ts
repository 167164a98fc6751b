import { describe, expect, it } from 'vitest'
import { parseTraceContext } from './trace-context.ts'

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

describe('a trace context', () => {
  it('is kept as it came', () => {
    expect(parseTraceContext(PARENT)).toEqual({ traceparent: PARENT })
    expect(parseTraceContext(PARENT, 'a=1,b=2')).toEqual({ traceparent: PARENT, tracestate: 'a=1,b=2' })
  })

  it('of a later version may say more than we know', () => {
    const later = `cc${PARENT.slice(2)}-what-comes-next`
    expect(parseTraceContext(later)).toEqual({ traceparent: later })
  })

  it.each([
    undefined,
    7,
    '',
    'x',
    PARENT.toUpperCase(),
    `${PARENT}-more`,
    `${PARENT} `,
    `ff${PARENT.slice(2)}`,
    PARENT.replace('4bf92f3577b34da6a3ce929d0e0e4736', '0'.repeat(32)),
    PARENT.replace('00f067aa0ba902b7', '0'.repeat(16)),
    `cc${PARENT.slice(2)}-${'x'.repeat(600)}`,
  ])('is none where its parent is %j', (parent) => {
    expect(parseTraceContext(parent, 'a=1')).toBeUndefined()
  })

  it('has no state where that is empty, too long or not printable', () => {
    for (const state of ['', 'x'.repeat(513), 'a=\u0001', 'a=ü', 7]) {
      expect(parseTraceContext(PARENT, state)).toEqual({ traceparent: PARENT })
    }
  })
})
