import type { BigIntStats } from 'node:fs'
import { sleep } from '../../kit/clock/sleep.ts'
import { monotonicMs } from '../../kit/node/monotonic.ts'
import { lstat } from './folders.ts'
import { type FoundFile, isUnchanged } from './item-file.ts'

/** For so long nobody may have written to a file: `cat > x.md` does not say when it is done. */
const STILL_MS = 300
const PATIENCE_MS = 1_000
const STEP_MS = 50

interface Watched {
  readonly file: FoundFile
  /** When it was last seen to be another, as far as that is known. */
  readonly sinceMs: number
}

export interface Stillness {
  readonly still: readonly FoundFile[]
  /** They keep changing: they wait for the next reader. */
  readonly restless: readonly FoundFile[]
}

/** Waits until files are still, all of them at once, and never for long. */
export async function waitUntilStill(files: readonly FoundFile[]): Promise<Stillness> {
  const still: FoundFile[] = []
  const deadline = monotonicMs() + PATIENCE_MS
  let young = files.map((file) => ({ file, sinceMs: changedAt(file.stat) }))
  for (;;) {
    const now = monotonicMs()
    still.push(...young.filter(({ sinceMs }) => now - sinceMs >= STILL_MS).map(({ file }) => file))
    young = young.filter(({ sinceMs }) => now - sinceMs < STILL_MS)
    if (young.length === 0 || now >= deadline) return { still, restless: young.map(({ file }) => file) }
    await sleep(STEP_MS)
    young = young.flatMap(lookAgain)
  }
}

/** In our own time. A file from the future may have been changed just now. */
function changedAt({ mtimeMs }: BigIntStats): number {
  const age = Date.now() - Number(mtimeMs)
  return monotonicMs() - Math.max(0, age)
}

function lookAgain(watched: Watched): Watched[] {
  const stat = lstat(watched.file.path)
  if (stat === undefined) return []
  return isUnchanged(watched.file.stat, stat)
    ? [watched]
    : [{ file: { ...watched.file, stat }, sinceMs: monotonicMs() }]
}
