import type { BusMeta, EntryDraft } from '../../model/bus/entry.ts'

/** What the header of an entry says, but which entry it is, when it was written and what its body is. */
export type Matter = Omit<EntryDraft, 'body'>

interface Said {
  readonly matter: Matter
  readonly text: string
}

const MAX_TYPES = 32
const MAX_CHARACTERS = 2_000

/** What was last said of an entry of each type: a writer says much the same of the next. */
const lately = new Map<string, Said>()

/** The text of a matter, which is made only where it differs from the last of its type. */
export function textOf(matter: Matter, format: (matter: Matter) => string): string {
  const known = lately.get(matter.type)
  if (known && isSame(known.matter, matter)) return known.text
  const text = format(matter)
  if (text.length <= MAX_CHARACTERS && isPlain(matter)) remember(matter, text)
  return text
}

function remember({ type, project_id, task_id, run_id, issue_id, attachment_path, meta }: Matter, text: string): void {
  if (lately.size >= MAX_TYPES) lately.clear()
  // Whoever gave it may change it afterwards.
  const words = { type, project_id, task_id, run_id, issue_id, attachment_path, meta: meta && { ...meta } }
  lately.set(type, { matter: words as Matter, text })
}

/** Made of words alone, each of which can be compared with another. */
function isPlain({ parents, attachments, links, meta = {} }: Matter): boolean {
  return !parents && !attachments && !links && Object.values(meta).every((value) => typeof value !== 'object')
}

function isSame(known: Matter, matter: Matter): boolean {
  return (
    known.project_id === matter.project_id &&
    known.task_id === matter.task_id &&
    known.run_id === matter.run_id &&
    known.issue_id === matter.issue_id &&
    known.attachment_path === matter.attachment_path &&
    !matter.parents &&
    !matter.attachments &&
    !matter.links &&
    isSameMeta(known.meta, matter.meta)
  )
}

/** In the same order, which is that of the lines. */
function isSameMeta(known: BusMeta = {}, meta: BusMeta = {}): boolean {
  const [keys, others] = [Object.keys(known), Object.keys(meta)]
  return (
    keys.length === others.length && keys.every((key, at) => others[at] === key && Object.is(known[key], meta[key]))
  )
}
