import fc from 'fast-check'
import { expect } from 'vitest'
import { casesOf } from '../../../test/helpers/property-cases.ts'
import { campaign } from '../../../test/helpers/tier.ts'
import { ITEM_PRIORITIES, ITEM_TYPES } from '../../model/handoff/item.ts'
import { readStrictFields } from './fields.ts'
import { formatItem } from './format-item.ts'
import { splitFrontMatter } from './front-matter.ts'
import { parseItem } from './parse-item.ts'

const line = fc.constantFrom(
  '',
  '---',
  '--- ',
  '----',
  'type: caution',
  'from_session: x',
  '\ufeff',
  '\ufeff---',
  'text',
  '# a',
  '- b',
  '\t',
  '...',
  '%YAML 1.2',
)
const end = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '\u2028', '\u0085', '')
const lines = fc.array(fc.tuple(line, end), { maxLength: 12 }).map((parts) => parts.flat().join(''))
const anything = fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => text.isWellFormed())
const text = fc.oneof(lines, anything)
const optional = fc.option(text.filter((value) => value !== ''))

const drafts = fc.record({
  type: fc.constantFrom(...ITEM_TYPES),
  priority: fc.constantFrom(...ITEM_PRIORITIES),
  from_session: text.filter((value) => value !== ''),
  created: fc.constantFrom('2026-01-10T18:30:00Z', '2026-01-10T18:30:00.123+01:00', 'yesterday'),
  to: optional,
  to_repo: optional,
  gate: optional,
  plan: optional,
  body: text,
})

campaign('reads back what it writes, byte for byte, whatever it is', casesOf(3_000), async (numRuns) => {
  fc.assert(
    fc.property(drafts, (draft) => {
      expect(parseItem(formatItem(draft).toString())).toEqual({ ...draft, extra: {} })
    }),
    { numRuns },
  )
})

campaign('writes fields that another parser reads alike', casesOf(500), async (numRuns) => {
  fc.assert(
    fc.property(drafts, (draft) => {
      const fields = readStrictFields(splitFrontMatter(formatItem(draft).toString())?.fields ?? '')
      for (const key of ['from_session', 'to', 'to_repo', 'gate', 'plan'] as const)
        expect(fields?.get(key) ?? null).toBe(draft[key])
    }),
    { numRuns },
  )
})

campaign('drops nothing of any text but the ends of the body', casesOf(2_000), async (numRuns) => {
  fc.assert(
    fc.property(text, (whole) => {
      const { type, body } = parseItem(whole)
      expect(type === null ? body === whole : whole.includes(body)).toBe(true)
    }),
    { numRuns },
  )
})
