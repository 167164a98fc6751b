import { expect, it } from 'vitest'
import { PosternError } from '../model/errors.ts'
import { problemOf, problemReply } from './problem.ts'

it('escapes what a terminal would obey, and says the same to a program', () => {
  const id = 'x\x1b[2J\x9b2J\u202e\u2028\u{e0041}'
  const { body } = problemReply(problemOf(new PosternError('AGENT_NOT_FOUND', { id }), 'req_1'))
  expect(body).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  expect(JSON.parse(String(body))).toMatchObject({ code: 'AGENT_NOT_FOUND', details: { id } })
})
