import fs, { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { BusShelf, ShelfQuery } from '../../../src/bus/bus-shelf.ts'
import { formatEntry } from '../../../src/bus/codec/format.ts'
import { formatMsgId } from '../../../src/bus/codec/msg-id.ts'
import { type BusShelfOptions, openBusShelf } from '../../../src/bus/file-bus-shelf.ts'
import type { BusPlace, EntryDraft } from '../../../src/model/bus/entry.ts'
import { temporaryFolder } from '../temp.ts'

export const TASK: BusPlace = { project_id: 'atlas', task_id: 'task-1' }
export const PROJECT: BusPlace = { project_id: 'atlas' }
export const ALL: ShelfQuery = { limit: 1_000_000, maxBytes: 2 ** 31 }

/** A shelf on a root of its own, and the path of the bus of TASK. */
export interface TestBus {
  readonly root: string
  readonly shelf: BusShelf
  readonly path: string
}

export function openTestBus(settings: Partial<BusShelfOptions> = {}): TestBus {
  const root = settings.root ?? join(temporaryFolder(), 'root')
  const shelf = openBusShelf({ ...settings, root })
  onTestFinished(() => shelf.close())
  return { root, shelf, path: busPath(root) }
}

export function busPath(root: string, { project_id, task_id }: BusPlace = TASK): string {
  return task_id === undefined
    ? join(root, project_id, 'PROJECT-MESSAGE-BUS.md')
    : join(root, project_id, task_id, 'TASK-MESSAGE-BUS.md')
}

export function draftOf(body: string | Uint8Array, place: BusPlace = TASK): EntryDraft {
  return { ...place, type: 'FACT', body: typeof body === 'string' ? Buffer.from(body) : body }
}

export const post = (shelf: BusShelf, body: string) => shelf.append(TASK, draftOf(body))

export async function bodiesOf(shelf: BusShelf, query: Partial<ShelfQuery> = {}): Promise<string[]> {
  return (await shelf.read(TASK, { ...ALL, ...query })).items.map(({ body }) => body)
}

/** Puts a file where a bus is, with the folders above it. */
export function plant(path: string, text: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const BEGIN = Date.UTC(2026, 1, 5, 12)

/** The id of the nth entry of a planted file; one is a second later than the one before. */
export function plantedId(nth: number): string {
  return formatMsgId({ at: BigInt(BEGIN + nth * 1_000) * 1_000_000n, pid: 1234, count: nth })
}

/** An entry as we write it. */
export function plantedEntry(nth: number, body: string | Uint8Array = `entry ${nth}`, msg_id = plantedId(nth)): Buffer {
  const ts = `${new Date(BEGIN + nth * 1_000).toISOString().slice(0, 19)}Z`
  return formatEntry({ ...draftOf(body), msg_id, ts })
}

/** As others write it: without a length, and without a checksum. */
export function foreignEntry(msg_id: string, body: string): string {
  return `---\nmsg_id: ${msg_id}\nts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: atlas\ntask_id: task-1\n---\n${body}\n`
}

/** A file of so many entries, numbered from 0, each as long as its body makes it. */
export function plantEntries(path: string, count: number, bodyOf = (nth: number): string => `entry ${nth}`): void {
  mkdirSync(dirname(path), { recursive: true })
  const fd = openSync(path, 'w')
  try {
    for (let from = 0; from < count; from += 1_000) {
      const part = Array.from({ length: Math.min(1_000, count - from) }, (_, at) => from + at)
      writeSync(fd, Buffer.concat(part.map((nth) => plantedEntry(nth, bodyOf(nth)))))
    }
  } finally {
    closeSync(fd)
  }
}

/** Counts the bytes that are read from files until the test is over. */
export function countReads(): { readonly bytes: number; reset(): void } {
  const { readSync } = fs
  let bytes = 0
  const counted = (...words: Parameters<typeof readSync>) => {
    const read = readSync(...words)
    bytes += read
    return read
  }
  replaceForTest({ readSync: counted as typeof readSync })
  return {
    get bytes() {
      return bytes
    },
    reset() {
      bytes = 0
    },
  }
}

/** Exchanges functions of `node:fs` until the test is over. */
export function replaceForTest(functions: Partial<typeof fs>): void {
  const before = Object.fromEntries(Object.keys(functions).map((name) => [name, fs[name as keyof typeof fs]]))
  Object.assign(fs, functions)
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, before)
    syncBuiltinESMExports()
  })
}

export const textOf = (path: string) => readFileSync(path, 'utf8')
