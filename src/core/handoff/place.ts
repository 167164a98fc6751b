import type { HandoffRoot, HandoffShelf } from '../../handoff/handoff-shelf.ts'
import { type Caller, isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { HandoffFolders, HandoffPlace } from '../../model/handoff/handoff.ts'
import { parseText } from '../../model/text.ts'
import type { Context } from '../context.ts'

/** As long as the engines can look up. */
const PROJECT_BYTES = 2_000

/** Doors behind which somebody may be at another machine. */
const REMOTE_DOORS = ['http', 'mcp']

/** Makes the folders of a project, and remembers it: from now on those who are elsewhere may name it too. */
export async function initHandoff(ctx: Context, place: HandoffPlace): Promise<HandoffFolders> {
  parseProject(place)
  if (isRemote(ctx.caller) && isProgram(ctx.caller)) {
    throw new PosternError('NOT_ALLOWED', {
      message: `${ctx.caller.id} cannot set up a handoff on another machine.`,
      next: 'Let a person do it, or do it on that machine with "postern handoff init".',
    })
  }
  const handoffs = await ctx.handoff()
  const root = await handoffs.locate(place)
  const folders = await handoffs.init(root)
  await rememberRoot(ctx, root)
  return folders
}

async function rememberRoot(ctx: Context, { root }: HandoffRoot): Promise<void> {
  const ref = { machine: ctx.machine.name, root }
  // Most are known already, and then nobody waits for a lock.
  if (await ctx.store.read.inheritances.hasRoot(ref)) return
  await ctx.store.single((tx) => tx.inheritances.addRoot({ ...ref, at: ctx.store.now(), by: ctx.caller.id }))
}

/** The root that somebody means. Whoever is not at this machine learns nothing of folders that were not set up. */
export async function requireRoot(ctx: Context, shelf: HandoffShelf, place: HandoffPlace): Promise<HandoffRoot> {
  parseProject(place)
  if (!isRemote(ctx.caller)) return shelf.locate(place)
  const root = await shelf.locate(place).catch(() => undefined)
  if (root && (await ctx.store.read.inheritances.hasRoot({ machine: ctx.machine.name, root: root.root }))) return root
  throw new PosternError('HANDOFF_UNKNOWN_PROJECT', { folder: place.project })
}

function parseProject({ project }: HandoffPlace): void {
  if (parseText('project', project, PROJECT_BYTES).startsWith('/')) return
  throw new PosternError('VALUE_INVALID', {
    field: 'project',
    value: `"${project}"`,
    next: 'Name it by its whole path.',
  })
}

function isRemote({ verified, via }: Caller): boolean {
  return verified && REMOTE_DOORS.includes(via)
}
