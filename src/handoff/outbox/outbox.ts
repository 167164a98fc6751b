import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { OutboxFile } from '../../model/handoff/handoff.ts'
import { invalid } from '../codec/format-item.ts'
import { hasOwnFolder, isOwn, lstat, makeOwnFolder } from '../files/folders.ts'
import { isSafeName } from '../files/item-file.ts'
import { compare } from '../files/order.ts'
import { partialName, publish } from '../files/publish.ts'
import { inFolder } from '../files/trouble.ts'
import { removeOldPartials } from '../files/unfinished.ts'

export interface Report {
  readonly kind: string
  readonly text: string
  readonly at: number
  readonly unique: string
}

const KIND = /^[a-z0-9][a-z0-9-]{0,63}$/
/** Whoever reads it is somebody else. */
const MODE = 0o644
const DAY_LENGTH = 10

/** Writes for consumers outside: one of a kind a day has the seed's name, and further ones have more to it. */
export function writeReport(outbox: string, { kind, text, at, unique }: Report): OutboxFile {
  if (!KIND.test(kind)) throw invalid(`its kind ${JSON.stringify(kind)} is not lower-case letters, digits and "-"`)
  if (!text.isWellFormed()) throw invalid('its text has a lone surrogate')
  makeOwnFolder(outbox)
  removeOldPartials(outbox)
  const stem = `${kind}-${new Date(at).toISOString().slice(0, DAY_LENGTH)}`
  const more = `${stem}-${unique}.md`
  const bytes = Buffer.from(text)
  const names = [`${stem}.md`, more]
  const name = publish({ folder: outbox, names, partial: partialName(more), bytes, mode: MODE, at })
  return { name, path: join(outbox, name), bytes: bytes.length, at }
}

/** What was written and not yet taken away, newest first. Nothing of it is opened. */
export function listReports(outbox: string): OutboxFile[] {
  if (!hasOwnFolder(outbox)) return []
  return inFolder(outbox, () => {
    const names = readdirSync(outbox)
    removeOldPartials(outbox, names)
    const files = names.filter(isSafeName).flatMap((name) => describeReport(join(outbox, name), name))
    return files.sort((a, b) => b.at - a.at || compare(b.name, a.name))
  })
}

function describeReport(path: string, name: string): OutboxFile[] {
  const stat = lstat(path)
  if (!stat?.isFile() || !isOwn(stat)) return []
  return [{ name, path, bytes: Number(stat.size), at: Number(stat.mtimeMs) }]
}
