import { describe, expect, it } from 'vitest'
import { sampleMessage } from '../../test/helpers/attacks.ts'
import { parseEntry } from './entry.ts'
import { formatSpoolCopy } from './message-copy.ts'

const createdAt = Date.UTC(2026, 1, 18, 15, 6, 55)

describe('formatSpoolCopy', () => {
  it('writes seed 000’s entry on one line without its end', () => {
    const message = sampleMessage({ content: 'two\nlines', createdAt, expiresAt: createdAt + 60_000, dedupKey: null })
    const line = formatSpoolCopy(message)
    expect(line).not.toContain('\n')
    expect(parseEntry(line)).toEqual({
      entry: {
        id: message.id,
        type: message.type,
        source: 'rosa',
        content: 'two\nlines',
        priority: message.priority,
        writtenAt: createdAt,
        dedupKey: message.id,
        ttlMs: 60_000,
      },
    })
    expect(parseEntry(formatSpoolCopy(sampleMessage({ dedupKey: 'mail:1', expiresAt: null })))).toMatchObject({
      entry: { dedupKey: 'mail:1' },
    })
  })
})
