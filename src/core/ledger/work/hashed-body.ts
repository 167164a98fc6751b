import type { Json } from '../../../model/json.ts'
import { isFields, parseFields } from '../../../model/ledger/json-fields.ts'
import { formatWorkEntry, type WorkEntry } from '../../../model/ledger/work-entry.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Ledgers, LedgerTx } from '../../context.ts'

const NOT_PUBLISHED = 'not published'

/** What of an entry is published only as a hash: the words of a note, the payload of an event; null where there is none. */
function bodyOf(entry: WorkEntry): string | null {
  if (entry.kind === 'note') return entry.note
  return entry.payload === null ? null : JSON.stringify(entry.payload)
}

/** An entry without its body: only that it was written, by whom, when, and the hash of the rest. */
export function formatHashed({ codec }: Ledgers, entry: WorkEntry): string {
  const body = bodyOf(entry)
  if (body === null) return formatWorkEntry(entry)
  const sha256 = codec.sha256(body)
  if (entry.kind === 'event') return formatWorkEntry({ ...entry, payload: { sha256, body: NOT_PUBLISHED } })
  const { kind: _, ...note } = entry
  return JSON.stringify({ ...note, note: NOT_PUBLISHED, sha256 })
}

/** Keeps the body of an entry here, for as long as there is the entry, which is for ever. */
export async function keepBody({ ctx, ledgers: { codec }, tx }: LedgerTx, entry: WorkEntry): Promise<void> {
  const text = bodyOf(entry)
  if (text !== null) await tx.ledger.putBody({ sha256: codec.sha256(text), text, createdAt: ctx.store.now() })
}

/**
 * An entry of one of ours with the body that was not published, where this deployment has it. Of anybody else's it is
 * not looked for: nobody puts our words into their own mouth by naming the hash.
 */
export async function withBody(shelves: Shelves, entry: WorkEntry, text: string): Promise<WorkEntry> {
  const body = await keptBody(shelves, entry, text)
  if (body === undefined) return entry
  if (entry.kind === 'note') return { ...entry, note: body }
  const payload = parseJson(body)
  return payload === undefined ? entry : { ...entry, payload }
}

/** What the hash in an entry stands for, as it was hashed; undefined where it has none or this deployment has it not. */
export async function keptBody(
  shelves: Shelves,
  entry: WorkEntry | undefined,
  text: string,
): Promise<string | undefined> {
  const sha256 = entry && hashIn(entry, text)
  return sha256 === undefined ? undefined : shelves.ledger.bodyOf({ sha256 })
}

function hashIn(entry: WorkEntry, text: string): string | undefined {
  const isNote = entry.kind === 'note'
  const hashed = isNote ? parseFields(text) : entry.payload
  if (!isFields(hashed) || hashed[isNote ? 'note' : 'body'] !== NOT_PUBLISHED) return undefined
  const { sha256 } = hashed
  return typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : undefined
}

/** Undefined where somebody has named the hash of a note as that of a payload. */
function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
