import { UNKNOWN_TRUST } from '../model/caller.ts'
import { type GateAuthor, SHOWN_REASON_CHARACTERS } from '../model/gates.ts'
import { QUOTE } from '../render/fence.ts'
import { LINE, neutraliseTo } from '../render/neutralise.ts'
import { authorOf, token } from '../render/provenance.ts'
import { type Quoted, renderQuotation } from '../render/quotation.ts'

const MAX_SHOWN = 10

export interface ShownGates {
  /** What these gates do, in words of ours. */
  readonly heading: string
  readonly gates: readonly ShownGate[]
  /** 8 to 32 random characters of a–z and 0–9, never used before. */
  readonly nonce: string
}

/** A gate that was written down by an earlier version names no author. */
interface ShownGate extends Partial<GateAuthor> {
  readonly name: string
  readonly reason: string
}

/** Gates with their creators. The reasons are the creators' words, so they are quoted inside a fence. */
export function quoteGates({ heading, gates, nonce }: ShownGates): string {
  const entries = gates.slice(0, MAX_SHOWN).map(quoteGate)
  const left = gates.length - entries.length
  const more = left > 0 ? [`├─ ${left} more · list with: postern gate list`] : []
  return `${heading}\n${renderQuotation({ what: 'gates', entries: [...entries, ...more].map(shown), nonce })}`
}

/** A few lines, of which each is bounded. */
function shown(entry: string): Quoted {
  return { length: entry.length, render: () => entry }
}

function quoteGate({ name, reason, createdBy = 'unknown', createdTrust = UNKNOWN_TRUST }: ShownGate): string {
  const words = neutraliseTo(SHOWN_REASON_CHARACTERS, reason.replace(/\s+/g, ' ').trim(), LINE)
  return `├─ ${token(name)} · set by ${authorOf({ id: createdBy, ...createdTrust })}\n${QUOTE} ${words}`
}
