import type { Json } from '../../../model/json.ts'
import { isFields, parseFields } from '../../../model/ledger/json-fields.ts'
import { formatWorkEntry, type WorkEntry } from '../../../model/ledger/work-entry.ts'
import type { Shelves } from '../../../store/store.ts'
import type { Ledgers, LedgerTx } from '../../context.ts'

const NOT_PUBLISHED = 'not published'

/** What is published only as a hash: the text of a note, or the payload of an event; null if there is none. */
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

/** Keeps the body of an entry here as long as the entry exists, which is for ever. */
export async function keepBody({ ctx, ledgers: { codec }, tx }: LedgerTx, entry: WorkEntry): Promise<void> {
  const text = bodyOf(entry)
  if (text !== null) await tx.ledger.putBody({ sha256: codec.sha256(text), text, createdAt: ctx.store.now() })
}

/**
 * An entry by one of our agents, with the body that was not published if this deployment has it. Callers must not ask for
 * an outsider's entry: an outsider could claim our words as its own by naming their hash.
 */
export async function withBody(shelves: Shelves, entry: WorkEntry, text: string): Promise<WorkEntry> {
  const body = await keptBody(shelves, entry, text)
  if (body === undefined) return entry
  if (entry.kind === 'note') return { ...entry, note: body }
  const payload = parseJson(body)
  return payload === undefined ? entry : { ...entry, payload }
}

/** The body behind the hash in an entry. Undefined if there is no hash, or this deployment does not have the body. */
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

/** Undefined if an event names the hash of a note's text, which need not be JSON. */
function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
