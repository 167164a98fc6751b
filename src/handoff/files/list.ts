import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PosternError } from '../../model/errors.ts'
import {
  HANDOFF_LIMITS,
  type HandoffItem,
  OWN_BOX,
  type RefusedFile,
  TRACKED_BY_GIT,
} from '../../model/handoff/item.ts'
import { parseItem } from '../codec/parse-item.ts'
import type { HandoffRoot, Looked } from '../handoff-shelf.ts'
import { trackedIn } from '../project/tracked.ts'
import { type Box, incomingBoxes, refusedBox } from './boxes.ts'
import { type FoundFile, fileFault, isItemName, nameFault, RESTLESS, readItemFile } from './item-file.ts'
import { compare, type DatedItem, inOrder } from './order.ts'
import { waitUntilStill } from './still.ts'
import { inFolder } from './trouble.ts'
import { finishFile, removeOldPartials } from './unfinished.ts'

/** What waits for a project, in the order in which it is inherited. */
export async function listBoxes(root: HandoffRoot, { tracked = false } = {}): Promise<Looked> {
  const { boxes, refused: unusable } = incomingBoxes(root)
  const all = boxes.map((box) => (box.name === OWN_BOX ? findInBox(box) : findInShared(box)))
  const found = tracked ? all : all.map(refuseTracked)
  const { still, restless } = await waitUntilStill(found.flatMap(({ files }) => files))
  const read = readFiles(still)
  return {
    items: inOrder(read.items.filter(({ item }) => isFor(root, item))),
    refused: [
      ...unusable,
      ...found.flatMap(({ refused }) => refused),
      ...restless.map((file) => refusedFile(file, RESTLESS)),
      ...read.refused,
    ],
  }
}

/** A pull can bring files that git tracks, so whoever can push to the repository could write to its sessions. */
function refuseTracked({ files, refused }: BoxFiles): BoxFiles {
  const [first] = files
  if (first === undefined) return { files, refused }
  const isTracked = trackedIn(dirname(first.path))
  const theirs = files.filter(({ name }) => isTracked(name))
  return {
    files: files.filter((file) => !theirs.includes(file)),
    refused: [...refused, ...theirs.map((file) => refusedFile(file, TRACKED_BY_GIT))],
  }
}

/** What lies in one's own inbox is for whoever reads it. */
function isFor(root: HandoffRoot, { box, to_repo }: HandoffItem): boolean {
  return box === OWN_BOX || to_repo === null || to_repo === root.repo
}

export interface BoxFiles {
  readonly files: readonly FoundFile[]
  readonly refused: readonly RefusedFile[]
}

/** The files of a box that may be read, oldest names first, once what was left half done there is done. */
function findInBox(box: Box): BoxFiles {
  return inFolder(box.folder, () => {
    const all = readdirSync(box.folder)
    removeOldPartials(box.folder, all)
    const names = all.filter(isItemName).sort(compare)
    return separateRefused(box, names.slice(0, HANDOFF_LIMITS.files), (name) => finishFile(box, name))
  })
}

/** What is wrong with a box of others keeps nobody from their own. */
function findInShared(box: Box): BoxFiles {
  try {
    return findInBox(box)
  } catch (error) {
    if (!(error instanceof PosternError)) throw error
    return { files: [], refused: [refusedBox(box.name, String(error.details['reason']))] }
  }
}

/** Tells those that may be read from those that may not. */
export function separateRefused(
  box: Box,
  names: readonly string[],
  statOf: (name: string) => FoundFile['stat'] | undefined,
): BoxFiles {
  const files: FoundFile[] = []
  const refused: RefusedFile[] = []
  for (const name of names) {
    const stat = statOf(name)
    const fault = nameFault(name) ?? (stat && fileFault(stat))
    if (fault !== undefined) refused.push({ box: box.name, name, reason: fault })
    else if (stat !== undefined) files.push({ box: box.name, name, path: join(box.folder, name), stat })
  }
  return { files, refused }
}

/** Reads files; those that are gone meanwhile are left out. */
export function readFiles(files: readonly FoundFile[]): {
  items: readonly DatedItem[]
  refused: readonly RefusedFile[]
} {
  const items: DatedItem[] = []
  const refused: RefusedFile[] = []
  for (const file of files) {
    const { box, name, stat } = file
    const read = inFolder(file.path, () => readItemFile(file))
    if (read.kind === 'refused') refused.push(refusedFile(file, read.reason))
    if (read.kind === 'read')
      items.push({ item: { box, name, ...parseItem(read.text), digest: read.digest }, mtimeMs: Number(stat.mtimeMs) })
  }
  return { items, refused }
}

function refusedFile({ box, name }: FoundFile, reason: string): RefusedFile {
  return { box, name, reason }
}
