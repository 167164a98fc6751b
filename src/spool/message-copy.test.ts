import { describe, expect, it } from 'vitest'
import { sampleMessage } from '../../test/helpers/attacks.ts'
import { parseEvent } from '../wires/redis/event.ts'
import { parseEntry } from './entry.ts'
import { formatInboxEvent, formatSpoolCopy } from './message-copy.ts'

const createdAt = Date.UTC(2026, 1, 18, 15, 6, 55)
const system = { id: 'system', kind: 'system', verified: true, via: 'plan' }

describe('formatInboxEvent', () => {
  it('writes seed 001’s JSON, under the id of the message', () => {
    const payload = { spaceId: 'alpha', spaceName: 'Project Alpha', senderName: 'Rosa' }
    const post = sampleMessage({ type: 'space_message', createdAt, payload, content: 'Pull the numbers' })
    expect(JSON.parse(formatInboxEvent(post))).toEqual({
      eventId: post.id,
      type: 'space_message',
      timestamp: '2026-02-18T15:06:55.000Z',
      data: {
        spaceId: 'alpha',
        spaceName: 'Project Alpha',
        messageId: post.id,
        senderEntityId: 'rosa',
        senderName: 'Rosa',
        senderType: 'agent',
        content: 'Pull the numbers',
      },
    })
    const plan = sampleMessage({ type: 'plan', from: system, dedupKey: 'plan_1+0', subject: 'Daily Report' })
    expect(JSON.parse(formatInboxEvent(plan))).toMatchObject({
      eventId: plan.id,
      type: 'plan',
      data: { planName: 'Daily Report' },
    })
  })

  it('begins with the id, and is read back as what it was', () => {
    const mail = sampleMessage({ content: 'Say "hi"\n{"eventId":"msg_0"}' })
    const text = formatInboxEvent(mail)
    expect(text.startsWith(`{"eventId":"${mail.id}",`)).toBe(true)
    expect(parseEvent(text)).toMatchObject({ event: { type: mail.type, content: mail.content, eventId: mail.id } })
  })
})

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
