import type { HandoffRoot, HandoffShelf } from '../../handoff/handoff-shelf.ts'
import { type Caller, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { HandoffFolders, HandoffPlace } from '../../model/handoff/handoff.ts'
import { isNamedHere } from '../../model/session.ts'
import { parseText } from '../../model/text.ts'
import type { Context } from '../context.ts'

/** As long as the engines can look up. */
const PROJECT_BYTES = 2_000

/** Doors behind which somebody may be at another machine. */
const REMOTE_DOORS = ['http', 'mcp']

/**
 * Makes the folders of a project, and remembers it: from now on its items are shown to sessions, and callers elsewhere
 * may
 * name it. That is a person's to decide, because the items of a cloned repository are a stranger's. A program may only
 * complete the folders of a project that was set up.
 */
export async function initHandoff(ctx: Context, place: HandoffPlace): Promise<HandoffFolders> {
  parseProject(place)
  const { caller } = ctx
  if (isProgram(caller) && isRemote(caller)) throw notForPrograms(ctx, place.project)
  const handoffs = await ctx.handoff()
  const root = await handoffs.locate(place)
  if (isProgram(caller) && !(await isSetUp(ctx, root))) throw notForPrograms(ctx, root.root)
  const folders = await handoffs.init(root)
  await rememberRoot(ctx, root)
  return folders
}

function notForPrograms({ caller }: Context, folder: string): PosternError {
  return new PosternError('NOT_ALLOWED', {
    message: `${caller.id} cannot set up a handoff in ${folder}.`,
    next: 'Ask a person to run "postern handoff init" there.',
  })
}

async function rememberRoot(ctx: Context, root: HandoffRoot): Promise<void> {
  // Most are known already, and then nobody waits for a lock.
  if (await isSetUp(ctx, root)) return
  const ref = { host: ctx.machine.host, root: root.root }
  await ctx.store.single((tx) => tx.inheritances.addRoot({ ...ref, at: ctx.store.now(), by: ctx.caller.id }))
}

/**
 * Whether a person has set up the handoff of a project on this machine. The record is in the store, never in the
 * project.
 */
export function isSetUp(ctx: Context, { root }: HandoffRoot): Promise<boolean> {
  return ctx.store.read.inheritances.hasRoot({ host: ctx.machine.host, root })
}

/**
 * The root that a caller means. A caller over a network learns nothing of folders that were not set up, and a program
 * there of no project but those that it works in: their items speak to every session.
 */
export async function requireRoot(ctx: Context, shelf: HandoffShelf, place: HandoffPlace): Promise<HandoffRoot> {
  parseProject(place)
  const { caller } = ctx
  if (!isRemote(caller)) return shelf.locate(place)
  const root = await shelf.locate(place).catch(() => undefined)
  const isKnown = root !== undefined && (await isSetUp(ctx, root))
  if (isKnown && (!isProgram(caller) || (await worksIn(ctx, shelf, { ...place, project: root.root })))) return root
  throw new PosternError('HANDOFF_UNKNOWN_PROJECT', { folder: place.project })
}

/** Whether the caller has an open session in a project that a process on this machine named. */
async function worksIn(ctx: Context, shelf: HandoffShelf, place: HandoffPlace): Promise<boolean> {
  const sessions = await ctx.store.read.sessions.open({ agent: ctx.caller.id })
  const local = sessions.filter((session) => isNamedHere(session, ctx.machine.name))
  for (const project of new Set(local.flatMap((session) => session.project ?? []))) {
    const own = await shelf.locate({ ...place, project }).catch(() => undefined)
    if (own?.root === place.project) return true
  }
  return false
}

function parseProject({ project }: HandoffPlace): void {
  if (parseText('project', project, PROJECT_BYTES).startsWith('/')) return
  throw new PosternError('VALUE_INVALID', {
    field: 'project',
    value: project,
    next: 'Name it by its whole path.',
  })
}

export function isRemote({ verified, via }: Caller): boolean {
  return verified && REMOTE_DOORS.includes(via)
}
