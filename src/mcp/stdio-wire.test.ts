import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listenedTo } from './resources/uri.ts'

describe('a request to listen', () => {
  it('names the resources that are wanted', () => {
    const resourceSubscriptions = ['postern://inbox/quinn', 'postern://bus/p']
    expect(listenedTo({ notifications: { resourceSubscriptions, toolsListChanged: true } })).toEqual(
      resourceSubscriptions,
    )
  })

  it('names nothing where it is of another kind, and what is no text is left out', () => {
    expect(listenedTo({})).toEqual([])
    expect(listenedTo({ notifications: { resourceSubscriptions: [7, null, 'postern://x', {}] } })).toEqual([
      'postern://x',
    ])
    fc.assert(
      fc.property(fc.json(), (text) => {
        const given: unknown = JSON.parse(text)
        for (const params of [{ notifications: given }, { notifications: { resourceSubscriptions: given } }]) {
          expect(listenedTo(params).every((uri) => typeof uri === 'string')).toBe(true)
        }
      }),
    )
  })
})
