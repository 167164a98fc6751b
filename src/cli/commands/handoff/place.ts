import { resolve } from 'node:path'
import { ownSession } from '../../../host/identity.ts'
import { PosternError } from '../../../model/errors.ts'
import type { HandoffPlace } from '../../../model/handoff/handoff.ts'
import type { Postern } from '../../../model/postern.ts'
import type { Args, Option } from '../../shell/command.ts'

/** Every command of the handoff is told in this way which project is meant. */
export const PLACE_OPTIONS: readonly Option[] = [
  { name: 'project', value: '<folder>', summary: 'a folder of the project (default: the one you are in)' },
  { name: 'shared', summary: 'of a worktree: use the folders of the main repository' },
]

export function placeIn(args: Args): HandoffPlace {
  const project = args.get('project') ?? '.'
  if (project === '') {
    const message = 'The name of the project is empty.'
    throw new PosternError('USAGE', { message, next: 'Name a folder of it, or leave "--project" out.' })
  }
  return { project: resolve(project), ...(args.has('shared') && { shared: true }) }
}

/** The session that is named, else the one that this process runs in. */
export async function sessionIn(args: Args, postern: Postern): Promise<{ readonly session?: string }> {
  const own = args.has('session') ? undefined : await ownSession(postern)
  const session = own && !own.isOver ? own.id : args.get('session')
  return session === undefined ? {} : { session }
}
