import { describe, expect, it } from 'vitest'
import { PosternError } from '../model/errors.ts'
import { toRequest } from './request.ts'

describe('a request', () => {
  it('takes the parts of its path from the input, and the rest as its body', () => {
    expect(toRequest('gates.mark', { sessionId: 'ses/1 ?', name: 'ready' })).toEqual({
      method: 'POST',
      path: '/api/v1/sessions/ses%2F1%20%3F/gates/ready/mark',
      body: '{}',
    })
    expect(toRequest('agents.rename', { id: 'quinn', displayName: 'Quinn' })).toEqual({
      method: 'PATCH',
      path: '/api/v1/agents/quinn',
      body: '{"displayName":"Quinn"}',
    })
  })

  it('that only reads has the rest as its query, lists by repetition', () => {
    expect(toRequest('inbox.list', { agent: 'quinn', limit: 5, after: undefined, which: 'all' })).toEqual({
      method: 'GET',
      path: '/api/v1/inbox?agent=quinn&limit=5&which=all',
    })
    expect(toRequest('events.list', { types: ['gate.*', 'a&b'] }).path).toBe('/api/v1/events?types=gate.*&types=a%26b')
  })

  it('that deletes has no body', () => {
    expect(toRequest('agents.remove', { id: 'quinn' })).toEqual({ method: 'DELETE', path: '/api/v1/agents/quinn' })
  })

  it('never names another place than the one that is meant', () => {
    for (const id of ['', '.', '..', 'x'.repeat(501), '\ud800']) {
      expect(() => toRequest('agents.remove', { id })).toThrow(expect.objectContaining({ code: 'AGENT_ID_INVALID' }))
      expect(() => toRequest('inbox.trace', { id })).toThrow(expect.objectContaining({ code: 'MESSAGE_NOT_FOUND' }))
      expect(() => toRequest('gates.show', { id })).toThrow(expect.objectContaining({ code: 'GATE_NOT_FOUND' }))
      const mark = { sessionId: 'ses_1', name: id }
      expect(() => toRequest('gates.mark', mark)).toThrow(expect.objectContaining({ code: 'VALUE_INVALID' }))
    }
    expect(toRequest('agents.show', { id: '...' }).path).toBe('/api/v1/agents/...')
  })

  it('does not turn what JSON cannot say into null', () => {
    const push = { to: ['quinn'], content: 'a', payload: { rate: Number.NaN } }
    expect(() => toRequest('inbox.push', push)).toThrow(PosternError)
    expect(() => toRequest('inbox.push', push)).toThrow('rate')
    expect(() => toRequest('inbox.list', { limit: Number.NaN })).toThrow('limit')
    for (const payload of [1n, { f: () => 1 }, [Symbol('s')]]) {
      expect(() => toRequest('inbox.push', { payload })).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
    }
  })

  it('does not turn half a character into another', () => {
    const search = { query: '\ud800' }
    expect(() => toRequest('inbox.search', search)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }))
    expect(JSON.parse(toRequest('inbox.push', { content: '\ud800' }).body ?? '')).toEqual({ content: '\ud800' })
  })

  it('is not sent where its query is longer than servers read', () => {
    const search = { query: 'word '.repeat(4_000) }
    expect(() => toRequest('inbox.search', search)).toThrow(expect.objectContaining({ code: 'CONTENT_TOO_LARGE' }))
  })
})
