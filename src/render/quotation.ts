import { startOf } from '../kit/pure/cut.ts'
import { trustWord } from '../model/caller.ts'
import type { ShownForm } from '../model/delivery.ts'
import type { Message } from '../model/message.ts'
import type { SpacePost } from '../model/sources/space.ts'
import { renderEntry } from './entry.ts'
import { type Door, NOTICE, quoteLines, requireNonce, withoutNonce } from './fence.ts'
import { BLOCK, neutralise } from './neutralise.ts'
import { formatTime, token } from './provenance.ts'

/** For whoever has the tools of MCP. */
export const TOOLS: Door = { fetch: 'fetch with: message_read', list: 'take with: inbox_check' }

export interface Quotation {
  /** What it is, in words of ours: `thread`, `bus p/t`. */
  readonly what: string
  /** Each begins with a line of ours, and marks every line of somebody else's. */
  readonly entries: readonly string[]
  /** 8 to 32 random characters of a–z and 0–9, never used before. */
  readonly nonce: string
}

/** Hosts cut what is longer than some 25,000 tokens, wherever that falls. */
const MAX_CHARACTERS = 80_000

/** What others wrote, of whatever kind, inside a fence that none of it can close. Of too much the end is shown. */
export function renderQuotation({ what, entries, nonce }: Quotation): string {
  requireNonce(nonce)
  const shown = lastOf(entries)
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

function lastOf(entries: readonly string[]): readonly string[] {
  let room = MAX_CHARACTERS
  const first = entries.findLastIndex((entry) => {
    room -= entry.length
    return room < 0
  })
  const shown = entries.slice(first + 1)
  const last = entries.at(-1)
  return shown.length > 0 || last === undefined ? shown : [cut(last)]
}

/** What is cut may end in the middle of a word, which must not become another by that. */
function cut(entry: string): string {
  return `${neutralise(startOf(entry, MAX_CHARACTERS), BLOCK)}\n├  cut here: it is longer than a host takes`
}

/** A message that was found, read again or sent by the reader: nobody is being offered it. */
export function renderKept(message: Message, reader: string, number: string, form: ShownForm = 'whole'): string {
  const asMet = { ...message, agent: reader, state: 'seen', attempt: 1, inboxSeq: 0 } as const
  return renderEntry(asMet, form, number, TOOLS)
}

/** What was said in a space. */
export function renderPost({ seq, messageId, from, content, createdAt }: SpacePost): string {
  const who = `${token(from.id)} (${token(from.kind)}, ${trustWord(from)})`
  const head = [`${seq}`, `from ${who}`, formatTime(createdAt), token(messageId)].join(' · ')
  return [`├─ ${head}`, ...quoteLines(neutralise(content, BLOCK))].join('\n')
}
