import { formatProofEntry, formatProofHeader } from '../../../../src/ledger/proof-text.ts'
import { postern } from '../../api/postern.ts'

const PAGE = 500

/**
 * Writes a proof of a topic as `postern ledger export` does: a line that says what it is, then a line for each entry.
 * Resolves with how many entries it has.
 */
export async function exportProof(topicId: string): Promise<number> {
  const first = await postern.ledger.read({ topic: topicId, limit: PAGE })
  const end = first.topic.sequence
  if (end > 0 && first.entries[0]?.sequence !== 1)
    throw new Error('This topic is held from its middle on: what is before that cannot be proved here.')
  const lines = [formatProofHeader(first.topic, first.ledger)]
  let { entries } = first
  for (;;) {
    const wanted = entries.filter(({ sequence }) => sequence <= end)
    lines.push(...wanted.map(formatProofEntry))
    const last = wanted.at(-1)?.sequence
    if (last === undefined || last >= end) break
    entries = (await postern.ledger.read({ topic: topicId, after: last, limit: PAGE })).entries
  }
  save(`${first.topic.id}.proof.jsonl`, lines.join(''))
  return end
}

/** Hands a file to the browser; nothing leaves it. */
function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/jsonl' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
