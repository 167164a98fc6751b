import { accessSync, constants, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileTrouble } from '../../kit/node/file-trouble.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { OWN_BOX, type RefusedFile } from '../../model/handoff/item.ts'
import type { HandoffRoot } from '../handoff-shelf.ts'
import { folderFault, hasOwnFolder, lstat } from './folders.ts'

/** A folder that items wait in. */
export interface Box {
  readonly name: string
  readonly folder: string
}

/** Where items go when they are taken out of their box. */
export type Archive = 'processed' | 'quarantine'
export const ARCHIVES: readonly Archive[] = ['processed', 'quarantine']

export interface Boxes {
  readonly boxes: readonly Box[]
  /** Folders of others that cannot be used. */
  readonly refused: readonly RefusedFile[]
}

const FROM = 'from-'
const SHARED_NAME = /^from-[A-Za-z0-9._-]+$/

export function ownBox({ root }: HandoffRoot): Box {
  return { name: OWN_BOX, folder: join(root, OWN_BOX) }
}

/** Where this repository leaves items for others; undefined where nobody shares anything. */
export function outgoingBox({ repo, sharedInbox }: HandoffRoot): Box | undefined {
  return sharedInbox === null ? undefined : { name: `${FROM}${repo}`, folder: join(sharedInbox, `${FROM}${repo}`) }
}

/** The same, where there is one already that can be used: what is wrong with it keeps nobody from their own. */
export function outgoingBoxes(root: HandoffRoot): readonly Box[] {
  const box = outgoingBox(root)
  const isUsable = (folder: string) => lstat(folder) !== undefined && boxFault(folder) === undefined
  return box !== undefined && [dirname(box.folder), box.folder].every(isUsable) ? [box] : []
}

/** The box with this name; undefined where there can be none. */
export function boxNamed(root: HandoffRoot, name: string): Box | undefined {
  if (name === OWN_BOX) return ownBox(root)
  if (root.sharedInbox === null || !SHARED_NAME.test(name)) return undefined
  hasOwnFolder(root.sharedInbox)
  return { name, folder: join(root.sharedInbox, name) }
}

/**
 * The boxes that a project inherits from: its own, and those in which other repositories leave items. One's own must be
 * in order; one of others that is not harms nobody.
 */
export function incomingBoxes(root: HandoffRoot): Boxes {
  const own = ownBox(root)
  const shared = sharedBoxes(root)
  return { boxes: hasOwnFolder(own.folder) ? [own, ...shared.boxes] : shared.boxes, refused: shared.refused }
}

/** Beside the repositories anybody may make a folder of that name. */
function sharedBoxes({ repo, sharedInbox }: HandoffRoot): Boxes {
  if (sharedInbox === null) return { boxes: [], refused: [] }
  const fault = boxFault(sharedInbox)
  if (fault !== undefined) return { boxes: [], refused: [refusedBox(basename(sharedInbox), fault)] }
  const names = namesOfBoxes(sharedInbox).filter((name) => name !== `${FROM}${repo}`)
  const found = names.map((name) => ({ name, folder: join(sharedInbox, name) }))
  const faults = new Map(found.map(({ name, folder }) => [name, boxFault(folder)]))
  return {
    boxes: found.filter(({ name }) => faults.get(name) === undefined),
    refused: found.flatMap(({ name }) => {
      const fault = faults.get(name)
      return fault === undefined ? [] : [refusedBox(name, fault)]
    }),
  }
}

function namesOfBoxes(sharedInbox: string): string[] {
  if (!hasOwnFolder(sharedInbox)) return []
  return readdirSync(sharedInbox)
    .filter((name) => SHARED_NAME.test(name))
    .sort()
}

/** Why a box of others cannot be used; undefined where it can, or is not there. */
function boxFault(folder: string): string | undefined {
  try {
    const fault = folderFault(folder)
    if (fault !== undefined || lstat(folder) === undefined) return fault
    accessSync(folder, constants.R_OK | constants.X_OK)
    return undefined
  } catch (error) {
    return fileTrouble(error) ?? reasonOf(error)
  }
}

export function refusedBox(name: string, fault: string): RefusedFile {
  return { box: name, name, reason: `a box that cannot be used: ${fault}` }
}
