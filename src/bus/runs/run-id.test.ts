import { describe, expect, it } from 'vitest'
import { formatRunId, idBefore } from './run-id.ts'

describe('the id of a run', () => {
  it('tells when it began, in UTC, and the process', () => {
    expect(formatRunId(Date.UTC(2026, 1, 5, 12, 34, 56, 789), 12_345)).toBe('run_20260205-123456-12345')
  })

  it('tells after which entry the run may have written', () => {
    expect(idBefore('run_20260205-123456-12345')).toBe('MSG-20260205-123456-000000000-PID00000-0000')
    expect(idBefore('run_20260205-123456-12345-2')).toBe('MSG-20260205-123456-000000000-PID00000-0000')
    expect(idBefore('20260205-1234561234-12345-1')).toBe('MSG-19700101-000000-000000000-PID00000-0000')
  })
})
