import { cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startHolder } from './holder.ts'
import { storeOf, withStore } from './home.ts'
import type { Place } from './hook.ts'

const PAGE = 4_096

/** Holds the write lock of a store, in a process that may be stopped too. Returns what ends it. */
export async function lock({ home }: Place, isFrozen: boolean): Promise<() => Promise<void>> {
  const holder = await startHolder(storeOf(home))
  if (isFrozen) holder.freeze()
  return () => holder.kill()
}

/** As while a log is being recovered: not even readers get in. */
export async function lockWhole({ home }: Place): Promise<() => Promise<void>> {
  const holder = await startHolder(storeOf(home), 'whole')
  holder.freeze()
  return () => holder.kill()
}

/** Keeps a copy aside, does damage, and puts the copy back. */
export async function damage({ home }: Place, how: (path: string) => void): Promise<() => Promise<void>> {
  const path = storeOf(home)
  const kept = join(dirname(home), 'kept')
  mkdirSync(kept, { recursive: true })
  await withStore(home, async () => {})
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  cpSync(path, join(kept, 'postern.db'))
  how(path)
  return async () => {
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true, recursive: true })
    cpSync(join(kept, 'postern.db'), path)
  }
}

/** All pages but the first, which says that it is a database at all. */
export function zeroPages(path: string): void {
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0, PAGE))
}

export function replaceByFolder(path: string): void {
  renameSync(path, `${path}.elsewhere`)
  mkdirSync(path)
}
