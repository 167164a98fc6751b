import { describe, expect, it } from 'vitest'
import { createRouter } from './router.ts'

function routes(...all: string[]) {
  const router = createRouter<string>()
  for (const route of all) router.add(route, route)
  return router
}

describe('a route', () => {
  it('is found by its literal parts before its parameters', () => {
    const { find } = routes('GET /inbox/:id', 'GET /inbox/search', 'GET /inbox/:id/trace')
    expect(find('GET', '/inbox/search')).toEqual({ target: 'GET /inbox/search', params: {} })
    expect(find('GET', '/inbox/msg_1')).toEqual({ target: 'GET /inbox/:id', params: { id: 'msg_1' } })
    // A literal that leads nowhere is a parameter after all.
    expect(find('GET', '/inbox/search/trace')).toEqual({ target: 'GET /inbox/:id/trace', params: { id: 'search' } })
  })

  it('may take everything below it, after all that is named', () => {
    const { find, methods } = routes('GET /ui', 'GET /ui/*', 'GET /ui/enter', 'POST /ui/leave')
    expect(find('GET', '/ui/enter').target).toBe('GET /ui/enter')
    expect(find('GET', '/ui/decisions/dec_1')).toEqual({ target: 'GET /ui/*', params: { rest: 'decisions/dec_1' } })
    expect(find('GET', '/ui/').params).toEqual({ rest: '' })
    expect(methods('/ui/leave')).toEqual(['POST', 'GET'])
    expect(() => find('GET', '/uix')).toThrow(/nothing at/)
  })

  it('has its own names for the parameters that it shares with others', () => {
    const { find } = routes('GET /agents/:id', 'POST /agents/:agent/mark-quiet')
    expect(find('POST', '/agents/quinn/mark-quiet').params).toEqual({ agent: 'quinn' })
  })

  it('gives its parameters decoded, empty ones too', () => {
    const { find } = routes('GET /agents/:id')
    expect(find('GET', '/agents/a%2Fb%20c').params).toEqual({ id: 'a/b c' })
    expect(find('GET', '/agents/').params).toEqual({ id: '' })
    expect(() => find('GET', '/agents/%ff')).toThrow(/not well encoded/)
  })

  it('is missed by other paths, and refuses other methods', () => {
    const { find, methods } = routes('GET /a/:id', 'POST /a/b')
    for (const path of ['', 'a/1', '/', '/a', '/a/1/2', '//a/1', '/A/1']) {
      expect(() => find('GET', path)).toThrow(expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }))
    }
    expect(find('GET', '/a/b').params).toEqual({ id: 'b' })
    expect(() => find('PUT', '/a/1')).toThrow(expect.objectContaining({ code: 'METHOD_REFUSED' }))
    expect(methods('/a/b')).toEqual(['POST', 'GET'])
  })

  it('is never one of the names that every object has', () => {
    const { find } = routes('GET /a')
    expect(() => find('GET', '/__proto__')).toThrow(expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }))
    expect(() => find('GET', '/constructor')).toThrow(expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }))
  })
})
