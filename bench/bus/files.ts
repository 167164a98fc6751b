import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatEntry } from '../../src/bus/codec/format.ts'
import { formatMsgId } from '../../src/bus/codec/msg-id.ts'
import { locate } from '../../src/bus/files/places.ts'
import type { BusPlace, EntryDraft } from '../../src/model/bus/entry.ts'

export const PLACE: BusPlace = { project_id: 'conductor-loop', task_id: 'task-20260301-docs' }
export const FIRST_AT = Date.UTC(2026, 2, 1)
const PID = 4711
const CHUNK_ENTRIES = 5_000
const RUN_ID = 'run_20260301-081500-4711'
const SENTENCES = [
  'The build of main is green again; step 4 needed a newer compiler, and the lock file says so now.',
  'The second half of the guide is written. What is missing:\n\n- the pictures\n- the part about rotation\n\nNobody reviews it yet.',
  'Reading after an id takes a hundred times as long as it should where the file has been merged by hand.',
] as const

/** What a bus is told: mostly plain entries, some with parents, a link or more about them. */
export function draftOf(at: number): EntryDraft {
  const plain = { ...PLACE, run_id: RUN_ID, body: bodyOf(at) }
  if (at % 8 === 3) return { ...plain, type: 'ANSWER', parents: [{ msg_id: idOf(at - 1), kind: 'answers' }] }
  if (at % 8 === 5) return { ...plain, type: 'ISSUE', issue_id: `ISSUE-${at}`, meta: { status: 'open', priority: 2 } }
  return { ...plain, type: at % 2 === 0 ? 'FACT' : 'OBSERVATION', meta: { from: 'agent-builder' } }
}

function bodyOf(at: number): Uint8Array {
  return Buffer.from(SENTENCES[at % SENTENCES.length] ?? '')
}

/** Entries a few milliseconds apart. */
export function idOf(at: number): string {
  return formatMsgId({ at: BigInt(timeOf(at)) * 1_000_000n, pid: PID, count: at })
}

function timeOf(at: number): number {
  return FIRST_AT + at * 7
}

/** An entry as somebody else writes it, without the length and the checksum of its body. */
function foreign(entry: string): string {
  return entry.replace(/\nbody_bytes: \d+\nsha256: [0-9a-f]{64}\n/, '\n')
}

function entryText(at: number): string {
  const ts = `${new Date(timeOf(at)).toISOString().slice(0, 19)}Z`
  return formatEntry({ ...draftOf(at), msg_id: idOf(at), ts }).toString('latin1')
}

export function pathIn(root: string): string {
  return locate({ root }, PLACE).path
}

/** Writes a bus with so many entries. */
export function writeEntries(root: string, count: number, options: { readonly isForeign?: boolean } = {}): void {
  writeChunks(root, (write) => {
    for (let at = 0; at < count; ) {
      let text = ''
      for (const end = Math.min(count, at + CHUNK_ENTRIES); at < end; at++)
        text += options.isForeign ? foreign(entryText(at)) : entryText(at)
      write(text)
    }
  })
}

/** Writes a bus that is as large as this, and returns how many entries it has. Only their ids differ. */
export function writeBytes(root: string, bytes: number): number {
  const [before = '', after = ''] = entryText(0).split(idOf(0))
  let count = 0
  writeChunks(root, (write) => {
    for (let size = 0; size < bytes; ) {
      let text = ''
      for (let i = 0; i < CHUNK_ENTRIES; i++) text += `${before}${idOf(count++)}${after}`
      write(text)
      size += text.length
    }
  })
  return count
}

function writeChunks(root: string, fill: (write: (text: string) => void) => void): void {
  const path = pathIn(root)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const fd = openSync(path, 'wx', 0o600)
  try {
    fill((text) => writeSync(fd, text, null, 'latin1'))
  } finally {
    closeSync(fd)
  }
}
