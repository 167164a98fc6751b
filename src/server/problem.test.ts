import { expect, it } from 'vitest'
import { PosternError } from '../model/errors.ts'
import { problemOf, problemReply } from './problem.ts'

it('names only the last part of a path in a problem', () => {
  const path = '/home/you/shop/inbox'
  for (const code of ['HANDOFF_UNUSABLE', 'BUS_UNUSABLE', 'KEY_UNUSABLE', 'STORE_UNAVAILABLE', 'INTERNAL'] as const) {
    const { body } = problemReply(problemOf(new PosternError(code, { path, reason: 'it is a link' }), 'req_1'))
    expect(body).not.toContain('/home')
  }
  const { body } = problemReply(problemOf(new PosternError('ROUTE_NOT_FOUND', { path: '/api/v1/x' }), 'req_1'))
  expect(body).toContain('/api/v1/x')
})

it('escapes what a terminal would obey, and says the same to a program', () => {
  const id = 'x\x1b[2J\x9b2J\u202e\u2028\u{e0041}'
  const { body } = problemReply(problemOf(new PosternError('AGENT_NOT_FOUND', { id }), 'req_1'))
  expect(body).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(JSON.parse(String(body))).toMatchObject({ code: 'AGENT_NOT_FOUND', details: { id } })
})
