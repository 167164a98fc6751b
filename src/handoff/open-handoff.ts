import { relative } from 'node:path'
import { randomBytes } from '../kit/node/crypto.ts'
import { createUlid } from '../kit/pure/ulid.ts'
import { archiveItem, hasItem } from './files/archive.ts'
import { boxNamed } from './files/boxes.ts'
import { leaveItem } from './files/leave.ts'
import { listBoxes } from './files/list.ts'
import { cleanArchives, findItem, lookInArchives } from './files/processed.ts'
import type { HandoffShelf } from './handoff-shelf.ts'
import { initProject, isInitialised, outboxOf } from './init/init.ts'
import { listReports, writeReport } from './outbox/outbox.ts'
import { type Locating, locateProject } from './project/locate.ts'

export interface OpenHandoff extends Locating {
  /** Files that git tracks are listed too; by default they are refused. */
  readonly tracked?: boolean
  /** What time it is, for names. The times of files are the system's. */
  readonly now?: () => number
}

const TIME_CHARACTERS = 10

/** The folders of projects, for whichever project is named. Nothing is held open. */
export function openHandoff({ now = Date.now, tracked = false, ...locating }: OpenHandoff): HandoffShelf {
  const ulid = createUlid({ now, randomBytes })
  const unique = () => ulid().slice(TIME_CHARACTERS).toLowerCase()
  return {
    locate: async (place) => locateProject(place, locating),
    isInitialised: async (root) => isInitialised(root),
    init: async (root) => initProject(root, unique),
    leave: async (root, draft) => leaveItem(root, draft, { at: now(), unique: unique() }),
    look: (root) => listBoxes(root, { tracked }),
    processed: async (root) => lookInArchives(root),
    find: async (root, name) => findItem(root, name),
    async archive(root, item, into) {
      const box = boxNamed(root, item.box)
      const path = box && archiveItem(box, item, into)
      return path === undefined ? undefined : relative(root.root, path)
    },
    async has(root, item) {
      const box = boxNamed(root, item.box)
      return box !== undefined && hasItem(box, item)
    },
    writeOut: async (root, file) => writeReport(outboxOf(root), { ...file, at: now(), unique: unique() }),
    listOut: async (root) => listReports(outboxOf(root)),
    clean: async (root, { before }) => cleanArchives(root, before),
  }
}
