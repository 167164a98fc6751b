import { type HandoffItem, ITEM_PRIORITIES, ITEM_TYPES, type ItemRef } from '../../model/handoff/item.ts'
import { readFields } from './fields.ts'
import { splitFrontMatter } from './front-matter.ts'
import type { Fields } from './usual-fields.ts'

/** What a file says, wherever it lies. */
export type ItemText = Omit<HandoffItem, keyof ItemRef | 'digest'>

const OURS = ['from_session', 'created', 'to', 'to_repo', 'gate', 'plan'] as const
const KNOWN: ReadonlySet<string> = new Set([...OURS, 'type', 'priority'])

/** Reads an item. One that cannot be understood is all body: nothing of it is dropped. */
export function parseItem(text: string): ItemText {
  const split = splitFrontMatter(text)
  const fields = split && readFields(split.fields)
  const type = oneOf(ITEM_TYPES, fields?.get('type'))
  if (!split || !fields || type === undefined) return { ...NOTHING, body: text }
  return {
    type,
    priority: oneOf(ITEM_PRIORITIES, fields.get('priority')) ?? 'medium',
    ...oursOf(fields),
    extra: extraOf(fields),
    body: split.body,
  }
}

const NOTHING = {
  type: null,
  priority: 'medium',
  from_session: null,
  created: null,
  to: null,
  to_repo: null,
  gate: null,
  plan: null,
  extra: {},
} as const

/** People write `High` too. */
function oneOf<T extends string>(known: readonly T[], value: string | null | undefined): T | undefined {
  return known.find((each) => each === value?.toLowerCase())
}

function oursOf(fields: Fields): Pick<ItemText, (typeof OURS)[number]> {
  const textAt = (key: (typeof OURS)[number]) => fields.get(key) || null
  return {
    from_session: textAt('from_session'),
    created: textAt('created'),
    to: textAt('to'),
    to_repo: textAt('to_repo'),
    gate: textAt('gate'),
    plan: textAt('plan'),
  }
}

function extraOf(fields: Fields): Readonly<Record<string, string>> {
  return Object.fromEntries([...fields].filter(([key]) => !KNOWN.has(key)).map(([key, value]) => [key, value ?? '']))
}
