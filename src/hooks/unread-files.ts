import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checksumOf } from '../kit/pure/checksum.ts'
import type { Inheritance } from '../model/handoff/handoff.ts'
import { OWN_BOX, type RefusedFile, TRACKED_BY_GIT } from '../model/handoff/item.ts'
import type { HookCall } from './handler.ts'

const FOLDER = 'told'

export interface UnreadFiles {
  /** Files that the agent was not yet told about, or that changed since. */
  readonly news: readonly RefusedFile[]
  /** To be called once the agent was told. Throws nothing. */
  noteTold(): void
}

/**
 * Finds unreadable handoff files that are news to the agent. Such a file stays in place, so without a record every
 * session would report it again. The home keeps, per project and agent, one fingerprint of each reported file.
 */
export function findUnread(call: HookCall, { root, refused }: Inheritance): UnreadFiles {
  const { home, agent } = call
  if (home === null || refused.length === 0) return { news: refused, noteTold: () => {} }
  const path = join(home, FOLDER, checksumOf([root, agent]).toString(16))
  const { sharedInbox } = call.handoff()
  const marks = new Map(refused.map((file) => [file, markOf(file, root, sharedInbox)]))
  const told = new Set(readLines(path))
  const fresh = refused.filter((file) => !told.has(marks.get(file) ?? ''))
  // Files tracked by Git are reported as a count, so one new file reports all of them.
  const tellsTracked = fresh.some(isTracked)
  const news = refused.filter((file) => (isTracked(file) ? tellsTracked : fresh.includes(file)))
  const noteTold = () => write(path, [...marks.values()])
  return { news, noteTold: news.length === 0 ? () => {} : noteTold }
}

const isTracked = ({ reason }: RefusedFile) => reason === TRACKED_BY_GIT

function markOf({ box, name, reason }: RefusedFile, root: string, sharedInbox: string | null): string {
  const folder = box === OWN_BOX ? join(root, box) : join(sharedInbox ?? '', box)
  const path = name === box ? folder : join(folder, name)
  return checksumOf([box, name, reason, versionOf(path)]).toString(16)
}

/** Any change of a file's content or permissions changes one of these values. */
function versionOf(path: string): string {
  try {
    const { ino, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
    return [ino, size, mtimeNs, ctimeNs].join(' ')
  } catch {
    return ''
  }
}

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, 'utf8').split('\n')
  } catch {
    return []
  }
}

function write(path: string, lines: readonly string[]): void {
  const partial = `${path}.${process.pid}`
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(partial, lines.join('\n'), { mode: 0o600 })
    renameSync(partial, path)
  } catch {
    // Then the next session is told once more.
  }
}
