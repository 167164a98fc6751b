import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { replaceFile } from './files.ts'
import type { Memory } from './settings.ts'

/** What `init` did to one file of settings. */
export interface Installed {
  readonly host: string
  readonly agent: string
  readonly memory: Memory
  /** There was no such file before. */
  readonly isNew: boolean
  /** Folders that were made for it, the outermost first. */
  readonly folders: readonly string[]
  /** A copy of the file as it was before. */
  readonly backup: string | null
  /** The token that stands in it. */
  readonly tokenId?: string | null
}

const RECORD = 'installed.json'

/** What is remembered of each file, by its path. A record that cannot be read is as good as none. */
export function readRecord(home: string): Readonly<Record<string, Installed>> {
  try {
    const record: unknown = JSON.parse(readFileSync(join(home, RECORD), 'utf8'))
    return typeof record === 'object' && record !== null ? (record as Record<string, Installed>) : {}
  } catch {
    return {}
  }
}

/** Remembers what was done to a file, or forgets it. */
export function writeRecord(home: string, path: string, installed: Installed | null): void {
  const { [path]: _, ...others } = readRecord(home)
  makePrivateFolder(home)
  const record = installed === null ? others : { ...others, [path]: installed }
  replaceFile(join(home, RECORD), `${JSON.stringify(record, null, 2)}\n`, 0o600)
}
