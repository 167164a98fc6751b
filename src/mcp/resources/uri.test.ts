import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatUri, type Place, parseUri, TEMPLATES } from './uri.ts'

const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
const place: fc.Arbitrary<Place> = fc.oneof(
  fc.record({ kind: fc.constantFrom('inbox', 'thread', 'decision', 'gate'), id: part }),
  part.map((project_id): Place => ({ kind: 'bus', bus: { project_id } })),
  fc.tuple(part, part).map(([project_id, task_id]): Place => ({ kind: 'bus', bus: { project_id, task_id } })),
)

describe('an address', () => {
  it('is read as what it was made of, whatever the names', () => {
    fc.assert(
      fc.property(place, (each) => {
        expect(parseUri(formatUri(each))).toEqual(each)
      }),
    )
  })

  it('never fails to be read: what is none of ours is nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((rest) => `postern://${rest}`),
        ),
        (uri) => {
          const found = parseUri(uri)
          if (found) expect(parseUri(formatUri(found))).toEqual(found)
        },
      ),
    )
  })

  for (const uri of [
    '',
    'postern:',
    'postern://',
    'postern://inbox',
    'postern://inbox/',
    'postern://inbox/quinn/',
    'postern://inbox/quinn/x',
    'postern:///inbox/quinn',
    'postern://gate//x',
    'postern://bus',
    'postern://bus/',
    'postern://bus/p/',
    'postern://bus/p/t/x',
    'postern://inbox/%',
    'postern://inbox/%ff',
    'postern://constructor/x',
    'postern://__proto__/x',
    'POSTERN://inbox/quinn',
    'https://inbox/quinn',
  ]) {
    it(`is not ${JSON.stringify(uri)}`, () => {
      expect(parseUri(uri)).toBeUndefined()
    })
  }

  it('of each kind is made as its template says', () => {
    for (const { uriTemplate } of TEMPLATES) expect(parseUri(uriTemplate.replaceAll(/[{}]/g, ''))).toBeDefined()
  })
})
