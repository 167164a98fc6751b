import { formatText } from '../../kit/pure/yaml-text.ts'
import { PosternError } from '../../model/errors.ts'
import { HANDOFF_LIMITS } from '../../model/handoff/item.ts'
import type { ItemDraft } from '../handoff-shelf.ts'
import { joinFrontMatter } from './front-matter.ts'

/**
 * An item as its file holds it: the seed's four fields, and below them those of ours that are set. It reads back as it is,
 * byte for byte; what cannot is refused with HANDOFF_ITEM_INVALID, and so is one that would be too large to be read.
 */
export function formatItem(draft: Omit<ItemDraft, 'isShared'>): Buffer {
  const fields = [
    formatField('from_session', draft.from_session),
    formatField('type', draft.type),
    formatField('priority', draft.priority),
    formatField('created', draft.created),
    formatField('to', draft.to),
    formatField('to_repo', draft.to_repo),
    formatField('gate', draft.gate),
    formatField('plan', draft.plan),
  ]
  const text = joinFrontMatter({ fields: fields.join(''), body: draft.body })
  if (!text.isWellFormed()) throw invalid('a text in it has a lone surrogate')
  const bytes = Buffer.from(text)
  if (bytes.length > HANDOFF_LIMITS.itemBytes)
    throw invalid(`it has ${bytes.length} bytes, and at most ${HANDOFF_LIMITS.itemBytes} are taken`)
  return bytes
}

/** Not quoted, as in the seed: no YAML takes a date with words behind it, or three parts with dashes, for a number or a time. */
const ID = /^(?=.*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9_./]+){2,}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[-+]\d\d:\d\d)$/

function formatField(key: string, value: string | null): string {
  if (value === null || value === '') return ''
  if (!value.isWellFormed()) throw invalid(`its ${key} has a lone surrogate`)
  return `${key}: ${isPlain(key, value) ? value : formatText(value)}\n`
}

function isPlain(key: string, value: string): boolean {
  return ID.test(value) || (key === 'created' && TIME.test(value))
}

export function invalid(reason: string): PosternError {
  return new PosternError('HANDOFF_ITEM_INVALID', { reason })
}
