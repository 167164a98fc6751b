import { constants } from 'node:fs'
import { readContents } from './contents.ts'
import { lockSpool } from './file.ts'
import { mayHoldEntries } from './may-hold.ts'

/** The ids of entries that stand in a spool. Throws SpoolError. */
export async function heldIds({
  path,
  patienceMs,
  maxBytes,
}: {
  readonly path: string
  readonly patienceMs: number
  /** No more of the spool is read than this. */
  readonly maxBytes: number
}): Promise<readonly string[]> {
  if (!mayHoldEntries(path)) return []
  const spool = await lockSpool(path, constants.O_RDONLY, patienceMs)
  if (!spool) return []
  try {
    const { lines } = readContents(path, spool, { maxLines: Number.MAX_SAFE_INTEGER, maxBytes })
    return lines.flatMap(({ entry }) => entry.id ?? [])
  } finally {
    spool.close()
  }
}
