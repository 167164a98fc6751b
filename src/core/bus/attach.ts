import type { BusShelf } from '../../bus/bus-shelf.ts'
import type { PostEntry } from '../../model/bus/bus.ts'
import { parseAttachments, parseBase64 } from '../../model/bus/draft.ts'
import type { BusAttachment, BusPlace, EntryDraft } from '../../model/bus/entry.ts'

export type Attached = Pick<EntryDraft, 'attachments' | 'attachment_path'>

/** What is to be attached, known to be good. Nothing is put anywhere before `attach` is called. */
export interface Attachments {
  /** What the entry will say of it, with names and sums that only take the room of the true ones. */
  readonly expected: Attached
  attach(): Promise<Attached>
}

/** Names of files that are kept are no longer, with their folder. */
const KEPT_PATH_CHARACTERS = 150
/** The folder, the time and a token, before the name that was given. */
const PREFIX_CHARACTERS = 50
const CHECKSUM_CHARACTERS = 64

/** Looks at what is to be attached: files that lie in the folder already, and data. */
export async function prepareAttachments(
  shelf: BusShelf,
  place: BusPlace,
  { attachments = [], attachment_path }: PostEntry,
): Promise<Attachments> {
  if (attachment_path !== undefined) await shelf.attached(place, attachment_path)
  const expected: BusAttachment[] = []
  const ready: (() => Promise<BusAttachment>)[] = []
  for (const { path, name = 'data', data = '', ...labels } of parseAttachments(attachments)) {
    const found = path === undefined ? undefined : await shelf.attached(place, path)
    const bytes = parseBase64('data', data)
    expected.push({ ...(found ?? placeholder(name, bytes)), ...labels })
    ready.push(async () => ({ ...(found ?? (await shelf.keep(place, { name, bytes }))), ...labels }))
  }
  const of = (attached: readonly BusAttachment[]): Attached => ({
    ...(attachment_path !== undefined && { attachment_path }),
    ...(attached.length > 0 && { attachments: attached }),
  })
  return {
    expected: of(expected),
    async attach() {
      const attached: BusAttachment[] = []
      for (const attach of ready) attached.push(await attach())
      return of(attached)
    },
  }
}

function placeholder(name: string, bytes: Uint8Array): BusAttachment {
  return {
    path: 'x'.repeat(Math.min(KEPT_PATH_CHARACTERS, name.length + PREFIX_CHARACTERS)),
    size_bytes: bytes.length,
    sha256: 'x'.repeat(CHECKSUM_CHARACTERS),
  }
}
