import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { PosternError } from '../../model/errors.ts'
import type { HandoffPlace } from '../../model/handoff/handoff.ts'
import type { HandoffRoot } from '../handoff-shelf.ts'
import { findTree } from './git.ts'

export interface Locating {
  /** Where repositories leave items for each other; null: nowhere. */
  readonly sharedInbox: string | null
  /** At the root of the main repository, unless somebody says otherwise. */
  readonly shared: boolean
}

/** The project that a folder belongs to. Throws HANDOFF_OUTSIDE where it belongs to none. */
export function locateProject(place: HandoffPlace, { sharedInbox, shared }: Locating): HandoffRoot {
  const tree = findTree(place.project)
  if (tree === undefined) throw new PosternError('HANDOFF_OUTSIDE', { folder: place.project })
  return {
    root: (place.shared ?? shared) ? tree.mainRoot : tree.root,
    repo: cleanName(tree.name),
    branch: tree.branch,
    sharedInbox: sharedInbox && withoutLinks(sharedInbox),
  }
}

function cleanName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9._-]+/g, '-') || 'repo'
}

/** Somebody chose it: whether it is a link is theirs to decide. */
function withoutLinks(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
