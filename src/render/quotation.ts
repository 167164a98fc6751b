import { startOf } from '../kit/pure/cut.ts'
import type { Door } from './fence.ts'
import { NOTICE, requireNonce, withoutNonce } from './fence.ts'
import { BLOCK, neutralise } from './neutralise.ts'

/** For whoever has the tools of MCP. */
export const TOOLS: Door = { fetch: 'fetch with: message_read', list: 'take with: inbox_check' }

/** Another author's text that is not rendered yet. Rendering is slow, so text that cannot fit is never rendered whole. */
export interface Quoted {
  /** Length of the author's text. The rendered entry is about as long, or longer. */
  readonly length: number
  /**
   * Begins with a line of ours, and marks every line of somebody else's. With a number it renders about so many
   * characters of the words.
   */
  render(characters?: number): string
}

export interface Quotation {
  /** What it is, in words of ours: `thread`, `bus p/t`. */
  readonly what: string
  readonly entries: readonly Quoted[]
  /** 8 to 32 random characters of a–z and 0–9, never used before. */
  readonly nonce: string
}

/** Hosts cut what is longer than some 25,000 tokens, wherever that falls. */
export const MAX_CHARACTERS = 80_000

/** What others wrote, of whatever kind, inside a fence that none of it can close. Of too much the end is shown. */
export function renderQuotation(quotation: Quotation): string {
  const slices = quotationInSlices(quotation)
  let slice = slices.next()
  while (!slice.done) slice = slices.next()
  return slice.value
}

/** The same, with a pause after each entry. */
export function* quotationInSlices({ what, entries, nonce }: Quotation): Generator<void, string> {
  requireNonce(nonce)
  const shown = yield* lastOf(entries)
  const left = entries.length - shown.length
  const count = `${shown.length} ${shown.length === 1 ? 'entry' : 'entries'}`
  return [
    `┌── postern ${what} · ${count} · fence ${nonce}`,
    NOTICE,
    ...(left > 0 ? [`├─ ${left} before ${left === 1 ? 'it does' : 'them do'} not fit: ask for fewer`] : []),
    ...shown.map((entry) => withoutNonce(entry, nonce)),
    `└── end of postern ${what} · fence ${nonce}`,
  ].join('\n')
}

/** Renders at most one entry that does not fit, because its words grow when they are rendered. */
function* lastOf(entries: readonly Quoted[]): Generator<void, readonly string[]> {
  const last = entries.at(-1)
  if (last === undefined) return []
  if (last.length > MAX_CHARACTERS) return [cut(last.render(MAX_CHARACTERS))]
  const shown: string[] = []
  let room = MAX_CHARACTERS
  for (const entry of entries.toReversed()) {
    if (entry.length > room) break
    const text = entry.render()
    room -= text.length
    if (room < 0) return shown.length > 0 ? shown : [cut(text)]
    shown.unshift(text)
    yield
  }
  return shown
}

/** What is cut may end in the middle of a word, which must not become another by that. */
function cut(entry: string): string {
  return `${neutralise(startOf(entry, MAX_CHARACTERS), BLOCK)}\n├  cut here: it is longer than a host takes`
}
