import { describe, expect, it } from 'vitest'
import { sampleMessage } from '../../../test/helpers/attacks.ts'
import { toInboxEvent } from './inbox-event.ts'

const husam = { id: 'entity-husam', kind: 'human', verified: true, via: 'http' }
const system = { id: 'system', kind: 'system', verified: true, via: 'plan' }
const jira = { id: 'jira-webhook', kind: 'service', verified: true, via: 'http' }

describe('toInboxEvent', () => {
  it('makes the seed’s event of a message in a space', () => {
    const message = sampleMessage({
      id: 'msg-g7h8',
      type: 'space_message',
      from: husam,
      ref: 'space:space-xyz',
      payload: { spaceId: 'space-xyz', spaceName: 'Project Alpha', senderName: 'Husam', senderType: 'human' },
      content: 'Pull the Q4 revenue numbers',
    })
    expect(toInboxEvent(message)).toStrictEqual({
      eventId: 'msg-g7h8',
      type: 'space_message',
      timestamp: '2026-02-18T15:06:55.000Z',
      data: {
        spaceId: 'space-xyz',
        spaceName: 'Project Alpha',
        messageId: 'msg-g7h8',
        senderEntityId: 'entity-husam',
        senderName: 'Husam',
        senderType: 'human',
        content: 'Pull the Q4 revenue numbers',
      },
    })
  })

  it('makes the seed’s event of a plan that fires, under the id of this firing', () => {
    const message = sampleMessage({
      type: 'plan',
      from: system,
      dedupKey: 'plan-abc+2026-02-19T09:00:00.000Z',
      payload: { planId: 'plan-abc', planName: 'Daily Report', scheduledAt: '2026-02-19T09:00:00.000Z' },
      content: 'Generate and post the daily metrics summary',
      createdAt: Date.UTC(2026, 1, 19, 9),
    })
    expect(toInboxEvent(message)).toStrictEqual({
      eventId: 'plan-abc+2026-02-19T09:00:00.000Z',
      type: 'plan',
      timestamp: '2026-02-19T09:00:00.000Z',
      data: {
        planId: 'plan-abc',
        planName: 'Daily Report',
        instruction: 'Generate and post the daily metrics summary',
      },
    })
  })

  it('makes the seed’s event of what a service sends', () => {
    const payload = { issue: 'PROJ-123', action: 'created' }
    const message = sampleMessage({
      type: 'service',
      from: jira,
      payload: { serviceName: 'jira-webhook', payload },
      content: JSON.stringify(payload),
    })
    expect(toInboxEvent(message)).toStrictEqual({
      eventId: message.id,
      type: 'service',
      timestamp: '2026-02-18T15:06:55.000Z',
      data: { serviceName: 'jira-webhook', payload },
    })
  })

  it('makes a message of everything else, also of what only poses as a plan or a service', () => {
    const mail = toInboxEvent(sampleMessage({ subject: 'build', ref: 'task:1' }))
    expect(mail).toStrictEqual({
      eventId: 'msg_01K0EXAMPLE',
      type: 'message',
      timestamp: '2026-02-18T15:06:55.000Z',
      data: {
        messageId: 'msg_01K0EXAMPLE',
        type: 'mail',
        senderEntityId: 'rosa',
        senderType: 'agent',
        senderVerified: true,
        subject: 'build',
        content: 'The build is green again.',
        payload: null,
        ref: 'task:1',
        replyTo: null,
      },
    })
    for (const type of ['plan', 'service']) {
      const posing = sampleMessage({ type, payload: { planName: 'x', serviceName: 'ci', payload: 1 } })
      expect(toInboxEvent(posing)).toMatchObject({ type: 'message', data: { type, senderEntityId: 'rosa' } })
    }
  })

  it('takes who it was from the credential, whatever the payload says', () => {
    const payload = { spaceId: 'alpha', senderName: 'Husam', senderType: 'human', senderEntityId: 'entity-husam' }
    expect(toInboxEvent(sampleMessage({ type: 'space_message', payload }))).toMatchObject({
      data: { senderEntityId: 'rosa', senderType: 'agent', senderName: 'Husam', spaceName: 'alpha' },
    })
    expect(toInboxEvent(sampleMessage({ from: { ...husam, kind: 'constructor' } }))).toMatchObject({
      data: { senderType: 'local' },
    })
  })

  it('finds the space in the address where the payload names none', () => {
    for (const where of [{ ref: 'space:alpha' }, { to: ['space:alpha'] }]) {
      const event = toInboxEvent(sampleMessage({ type: 'space_message', ...where }))
      expect(event.data).toMatchObject({ spaceId: 'alpha', spaceName: 'alpha', senderName: 'rosa' })
    }
  })
})
