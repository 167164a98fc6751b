import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatEntry } from './format.ts'
import { type Matter, textOf } from './matter.ts'
import { scan } from './scan.ts'

const few = fc.constantFrom('a', 'b')
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 1 })
const said = fc.record(
  {
    type: fc.constantFrom('FACT', 'INFO'),
    project_id: few,
    task_id: few,
    run_id: few,
    issue_id: few,
    attachment_path: few,
    parents: fc.constant([{ msg_id: 'a' }]),
    attachments: fc.constant([{ path: 'a' }]),
    links: fc.constant([{ path: 'a' }]),
    meta: fc.dictionary(few, maybe(fc.constantFrom('a', 'true', 0, -0, true, null)), { minKeys: 1 }),
  },
  { requiredKeys: ['type', 'project_id'] },
)

/** What a header that was written now says. */
function readBack(matter: Matter): object {
  const bytes = formatEntry({ ...matter, msg_id: 'MSG-1', ts: '2026-01-01T00:00:00Z', body: Buffer.from('x') })
  const [item] = scan({ bytes, offset: 0, isLast: true }, { project_id: 'p' }).items
  if (item?.kind !== 'entry') throw new Error(item?.reason)
  const { msg_id: _, ts: __, body: ___, ...rest } = item.entry
  return rest
}

describe('what is said of an entry', () => {
  it('is written as it is, however alike it is to what was said before', () => {
    fc.assert(
      fc.property(fc.array(said, { minLength: 2, maxLength: 12 }), (matters) => {
        for (const matter of matters) {
          const meta = Object.fromEntries(Object.entries(matter.meta ?? {}).filter(([, value]) => value !== undefined))
          const whole = { ...matter, ...(matter.meta && { meta }) } as Matter
          const { meta: __, ...words } = whole
          expect(readBack(whole)).toEqual({ ...words, ...(Object.keys(meta).length > 0 && { meta }) })
        }
      }),
      { numRuns: 300 },
    )
  })

  it('is made into a text once for entries that say the same', () => {
    let made = 0
    const format = () => String(++made)
    const matter = { type: 'ONCE', project_id: 'p', meta: { from: 'quinn' } }
    expect([textOf(matter, format), textOf({ ...matter, meta: { from: 'quinn' } }, format)]).toEqual(['1', '1'])
    expect(textOf({ ...matter, meta: { from: 'robin' } }, format)).toBe('2')
  })

  it('is made anew where whoever said it has changed it since', () => {
    const meta = { from: 'quinn' }
    const matter = { type: 'CHANGED', project_id: 'p', meta }
    expect(readBack(matter)).toMatchObject({ meta: { from: 'quinn' } })
    meta.from = 'robin'
    expect(readBack(matter)).toMatchObject({ meta: { from: 'robin' } })
  })
})
