import { describe, expect, it } from 'vitest'
import { parseRoute, pathTo } from './route.ts'

describe('the address of a screen', () => {
  it('is read as it is written', () => {
    const routes = [
      ['inbox', {}, pathTo('inbox')],
      ['inbox', { id: 'msg_1' }, pathTo('inbox', ['msg_1'])],
      ['bus', { project: 'a b', task: 'x/y' }, pathTo('bus', ['a b', 'x/y'])],
      ['ledger', { topic: '0.0.1005' }, pathTo('ledger', ['0.0.1005'])],
    ] as const
    for (const [screen, params, path] of routes) expect(parseRoute(path)).toEqual({ screen, params, query: {} })
  })

  it('keeps what its query says and leaves out what is empty', () => {
    const path = pathTo('gates', [], { state: 'open', agent: '', more: undefined })
    expect(path).toBe('/ui/gates?state=open')
    expect(parseRoute('/ui/gates', '?state=open').query).toEqual({ state: 'open' })
  })

  it('is the inbox where nothing is named, and none where no screen has it', () => {
    expect(parseRoute('/ui/').screen).toBe('inbox')
    expect(parseRoute('/ui').screen).toBe('inbox')
    expect(parseRoute('/ui/nowhere').screen).toBeNull()
    expect(parseRoute('/ui/doctor/more').screen).toBeNull()
  })

  it('survives what cannot be decoded', () => {
    expect(parseRoute('/ui/inbox/%E0%A4%A').params).toEqual({ id: '%E0%A4%A' })
  })
})
