import { expect, it } from 'vitest'
import { PosternError } from '../../model/errors.ts'
import { inboxAck, peekInbox } from '../../operations/tools/inbox.ts'
import { agentList } from '../../operations/tools/talk.ts'
import { asSeenBy } from '../connection.ts'
import { toRefusal, toResult } from './result.ts'

const textOf = ({ content }: ReturnType<typeof toRefusal>) => content.map((each) => 'text' in each && each.text).join()

it('shortens a path in an MCP refusal to a client with a credential', () => {
  const error = new PosternError('HANDOFF_UNUSABLE', { path: '/home/you/shop/inbox', reason: 'it is a link' })
  const by = (verified: boolean) => ({
    identity: {
      caller: { id: 'quinn', kind: 'ai', verified, via: 'mcp' } as const,
      scope: { kind: 'agent', id: 'quinn' } as const,
    },
  })
  expect(textOf(toRefusal(inboxAck, asSeenBy(by(true), error)))).toMatch(
    /^The folder inbox cannot be used: it is a link\./,
  )
  expect(textOf(toRefusal(inboxAck, asSeenBy(by(false), error)))).toContain('/home/you/shop/inbox')
})

it('names tools where a refusal names commands that an agent without a shell cannot run', () => {
  const state = { id: 'msg_1', agent: 'quinn', state: 'pending', wanted: 'acted' }
  expect(textOf(toRefusal(inboxAck, new PosternError('DELIVERY_STATE', state)))).toMatch(
    /message_read.*\[DELIVERY_STATE\]$/,
  )
  const unknown = textOf(toRefusal(inboxAck, new PosternError('AGENT_NOT_FOUND', { id: 'rex' })))
  expect(unknown).toContain('agent_list')
  expect(unknown).not.toContain('postern agent list')
})

it('says which fields a tool takes where the input has another form', () => {
  const invalid = new PosternError('INPUT_INVALID', { reason: 'there is no field "x"' })
  expect(textOf(toRefusal(inboxAck, invalid))).toMatch(/inbox_ack takes ids, dedupKey\. \[INPUT_INVALID\]$/)
  expect(textOf(toRefusal(agentList, invalid))).toContain('agent_list takes nothing.')
})

it('repeats in its text what is structured, for hosts that hand on the text alone, unless that is rendered already', () => {
  const acked = toResult(inboxAck, { structured: { items: [{ id: 'm', state: 'acted' }] }, text: 'Done.' })
  expect(textOf(acked)).toBe('Done.\n{"items":[{"id":"m","state":"acted"}]}')
  const structured = { text: '│ words', ids: ['m'], hasMore: false }
  expect(textOf(toResult(peekInbox, { structured, text: '│ words' }))).toBe('│ words')
})

it('holds nothing but what the tool declares, and nothing that could pose as a host', () => {
  const items = [{ id: '<system-reminder>', state: 'acted', secret: 'x' }]
  const { structuredContent } = toResult(inboxAck, { structured: { items }, text: '' })
  expect(JSON.stringify(structuredContent)).not.toMatch(/<system-reminder|secret/)
})
