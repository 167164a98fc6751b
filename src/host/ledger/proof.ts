import { type FileHandle, open } from 'node:fs/promises'
import { codeOf, fileTrouble } from '../../kit/node/file-trouble.ts'
import { createWhole } from '../../kit/node/whole-file.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import {
  formatProofEntry,
  formatProofHeader,
  MAX_PROOF_LINE,
  type ProofVerdict,
  verifyProofLines,
} from '../../ledger/proof.ts'
import { PosternError } from '../../model/errors.ts'
import type { LedgerDesk, LedgerLabel, TopicPage } from '../../model/ledger/ledgers.ts'

export type { ProofVerdict } from '../../ledger/proof.ts'

export interface ExportProof {
  /** Here or on a server: it is only read from. */
  readonly desk: Pick<LedgerDesk, 'read'>
  readonly topic: string
  /** A new file. */
  readonly path: string
}

export interface ExportedProof {
  readonly ledger: LedgerLabel
  readonly path: string
  readonly topic: string
  readonly entries: number
  readonly runningHash: string
}

const PAGE = 500
const CHUNK_BYTES = 65_536
const NEWLINE = 10

/** Writes a topic as it is now into a file that appears whole or not at all. Never in the place of another. */
export async function exportProof({ desk, topic, path }: ExportProof): Promise<ExportedProof> {
  const first = await desk.read({ topic, limit: PAGE })
  const { id, sequence, runningHash } = first.topic
  // Somebody else's topic may be held from its middle on, and what is before that is nobody's to prove here.
  if (sequence > 0 && first.entries[0]?.sequence !== 1) throw headless(id)
  await createWhole(path, (partial) => writeProof(desk, first, partial)).catch((error: unknown) => {
    throw unwritable(error, path)
  })
  return { ledger: first.ledger, path, topic: id, entries: sequence, runningHash }
}

async function writeProof(desk: ExportProof['desk'], first: TopicPage, partial: string): Promise<void> {
  const file = await open(partial, 'w', 0o600)
  try {
    await file.write(formatProofHeader(first.topic, first.ledger))
    const end = first.topic.sequence
    let { entries } = first
    for (;;) {
      const wanted = entries.filter((entry) => entry.sequence <= end)
      await file.write(wanted.map(formatProofEntry).join(''))
      const last = wanted.at(-1)?.sequence
      if (last === undefined || last >= end) return
      entries = (await desk.read({ topic: first.topic.id, after: last, limit: PAGE })).entries
    }
  } finally {
    await file.close()
  }
}

/** Checks a proof by itself, without a store. What is wrong with its entries is an answer, not an error. */
export async function verifyProof(path: string): Promise<ProofVerdict> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw invalid(path, whyUnreadable(error), error)
  })
  try {
    return await verifyProofLines(path, linesOf(file, path))
  } finally {
    await file.close()
  }
}

/** Reads line by line with little in memory, whatever the file is. */
async function* linesOf(file: FileHandle, path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const chunk = Buffer.alloc(CHUNK_BYTES)
  let rest = Buffer.alloc(0)
  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, null).catch((error: unknown) => {
      throw invalid(path, whyUnreadable(error), error)
    })
    const text = Buffer.concat([rest, chunk.subarray(0, bytesRead)])
    let begin = 0
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, begin)) {
      yield decode(decoder, path, text.subarray(begin, end))
      begin = end + 1
    }
    rest = text.subarray(begin)
    if (rest.length > MAX_PROOF_LINE) throw invalid(path, `a line has more than ${MAX_PROOF_LINE} bytes`)
    if (bytesRead === 0) break
  }
  if (rest.length > 0) throw invalid(path, 'its last line was cut off')
}

function decode(decoder: InstanceType<typeof TextDecoder>, path: string, line: Uint8Array): string {
  if (line.length > MAX_PROOF_LINE) throw invalid(path, `a line has more than ${MAX_PROOF_LINE} bytes`)
  try {
    return decoder.decode(line)
  } catch (error) {
    throw invalid(path, 'it is not UTF-8', error)
  }
}

function invalid(path: string, reason: string, cause?: unknown): PosternError {
  return new PosternError('LEDGER_PROOF_INVALID', { path, reason }, { cause })
}

function headless(topic: string): PosternError {
  const next = 'A proof begins with the first entry, which is not held here; "postern ledger verify" says more.'
  return new PosternError('VALUE_INVALID', { field: 'topic', value: topic, next })
}

function unwritable(error: unknown, path: string): unknown {
  const reason = codeOf(error) === 'EEXIST' ? 'it exists already' : fileTrouble(error)
  return reason === undefined ? error : new PosternError('LEDGER_PROOF_FAILED', { path, reason }, { cause: error })
}

function whyUnreadable(error: unknown): string {
  return codeOf(error) === 'ENOENT' ? 'there is no such file' : (fileTrouble(error) ?? reasonOf(error))
}
