import type { BusShelf } from '../../bus/bus-shelf.ts'
import type { PostEntry } from '../../model/bus/bus.ts'
import { parseAttachments, parseBase64 } from '../../model/bus/draft.ts'
import type { BusAttachment, BusPlace, EntryDraft } from '../../model/bus/entry.ts'

/** The attachments of an entry, known to be good. Nothing is written before `keep` is called. */
export interface PreparedAttachments {
  /** What the entry says of them. */
  readonly attached: Pick<EntryDraft, 'attachments' | 'attachment_path'>
  /** Whether `keep` writes anything. */
  readonly isStored: boolean
  /** Writes the data that came with the entry into the folder of its bus. */
  keep(): Promise<void>
}

/** Looks at everything that is to be attached: files that lie in the folder already, and data. */
export async function prepareAttachments(
  shelf: BusShelf,
  place: BusPlace,
  { attachments: given = [], attachment_path }: PostEntry,
): Promise<PreparedAttachments> {
  if (attachment_path !== undefined) await shelf.attached(place, attachment_path)
  const attachments: BusAttachment[] = []
  const writes: (() => Promise<void>)[] = []
  for (const { path, name = 'data', data = '', ...labels } of parseAttachments(given)) {
    if (path !== undefined) {
      attachments.push({ ...(await shelf.attached(place, path)), ...labels })
      continue
    }
    const { attachment, keep } = shelf.prepareAttachment(place, { name, bytes: parseBase64('data', data) })
    attachments.push({ ...attachment, ...labels })
    writes.push(keep)
  }
  return {
    attached: {
      ...(attachment_path !== undefined && { attachment_path }),
      ...(attachments.length > 0 && { attachments }),
    },
    isStored: writes.length > 0,
    async keep() {
      for (const write of writes) await write()
    },
  }
}
