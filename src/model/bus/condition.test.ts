import { describe, expect, it } from 'vitest'
import { formatBusCondition, isMetBy, parseBusCondition } from './condition.ts'
import type { BusEntry } from './entry.ts'

const ENTRY: BusEntry = {
  msg_id: 'MSG-2',
  ts: '2026-02-05T12:34:56Z',
  type: 'ANSWER',
  project_id: 'p',
  issue_id: 'ISSUE-1',
  run_id: 'run_1',
  parents: [{ msg_id: 'MSG-1', kind: 'answers' }],
  meta: { from: 'rosa', status: 'done', exit_code: 0, deep: { ok: true } },
  body: 'Yes.',
}

const isMet = (text: string, entry: Partial<BusEntry> = {}, held = 'quinn') =>
  isMetBy(parseBusCondition(text), { ...ENTRY, ...entry }, held)

describe('what a gate waits for on a bus', () => {
  it('is written as it is read', () => {
    const texts = [
      'p',
      'p/t',
      'p/t?type=ANSWER',
      'p?meta.status=a%2Fb%20c%26d%3De',
      'p/t?type=FACT&from=rosa&after=MSG-1',
      'p?after=',
    ]
    for (const text of texts) expect(formatBusCondition(parseBusCondition(text))).toBe(text)
    expect(formatBusCondition(parseBusCondition('p?after=MSG-1&type=run_start'))).toBe('p?type=START&after=MSG-1')
  })

  it('is refused where it says nothing that could be met', () => {
    for (const text of ['p?', 'p?type', 'p?=x', 'p?type=FACT&', 'p?from=%ff', 'p?colour=red', 'p?meta.=x'])
      expect(() => parseBusCondition(text)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }))
    for (const text of ['', '?type=FACT', '../x', 'p/t/u', 'p q'])
      expect(() => parseBusCondition(text)).toThrow(expect.objectContaining({ code: 'BUS_ID_INVALID' }))
    expect(() => parseBusCondition('p?type=no type')).toThrow(expect.objectContaining({ code: 'BUS_TYPE_INVALID' }))
  })

  it('is met by an entry that says all of it', () => {
    for (const text of ['p', 'p?type=answer', 'p?issue_id=ISSUE-1', 'p?run_id=run_1', 'p?from=rosa', 'p?parent=MSG-1'])
      expect(isMet(text), text).toBe(true)
    for (const text of ['p?meta.status=done', 'p?meta.exit_code=0', 'p?meta.deep.ok=true', 'p?type=ANSWER&from=rosa'])
      expect(isMet(text), text).toBe(true)
    for (const text of [
      'p?type=FACT',
      'p?from=max',
      'p?parent=MSG-2',
      'p?type=ANSWER&from=max',
      'p?meta.deep=[object Object]',
    ])
      expect(isMet(text), text).toBe(false)
    for (const text of ['p?meta.status.length=4', 'p?meta.toString=x', 'p?meta.missing=undefined'])
      expect(isMet(text), text).toBe(false)
    expect(isMet('p?type=STOP', { type: 'RUN_STOP' })).toBe(true)
  })

  it('is not met by what the held agent wrote, unless that is asked for', () => {
    expect(isMet('p?type=ANSWER', {}, 'rosa')).toBe(false)
    expect(isMet('p?type=ANSWER&from=rosa', {}, 'rosa')).toBe(true)
    expect(isMet('p', { meta: {} }, 'rosa')).toBe(true)
  })
})
