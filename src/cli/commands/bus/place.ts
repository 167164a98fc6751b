import { type BusContext, requireBus } from '../../../host/bus/bus-context.ts'
import { BUS } from '../../../host/config/bus.ts'
import type { Config } from '../../../host/config/config.ts'
import { workingFolder } from '../../../host/config/working-folder.ts'
import type { BusPlace } from '../../../model/bus/entry.ts'
import { PosternError } from '../../../model/errors.ts'
import type { Postern } from '../../../model/postern.ts'
import type { Args, Io, Option } from '../../shell/command.ts'

/** Every command of the bus is told in this way which one is meant. */
export const PLACE_OPTIONS: readonly Option[] = [
  { name: 'project', value: '<id>', summary: 'the project (default: that of the run or the folder you are in)' },
  { name: 'task', value: '<id>', summary: 'a task of the project; a project alone means its own bus' },
]

export interface PosternForBus {
  readonly postern: Postern
  readonly place: BusPlace
  readonly context: BusContext
}

/** Opens what is needed to use the bus that words, run or folder name. */
export async function openPosternForBus(io: Io, args: Args): Promise<PosternForBus> {
  const context = contextOf(io, args)
  const isElsewhere = Object.keys(context.files).length > 0
  const postern = await io.open(isElsewhere ? { bus: { ...io.config.get(BUS), files: context.files } } : {})
  return { postern, place: context.place, context }
}

export function contextOf({ config }: { readonly config: Config }, args: Args): BusContext {
  const [project, task, run] = [args.get('project'), args.get('task'), args.get('run')]
  const flags = {
    ...(project !== undefined && { project }),
    ...(task !== undefined && { task }),
    ...(run !== undefined && { run }),
  }
  const context = requireBus({ flags, env: process.env, cwd: workingFolder(), root: config.get(BUS).root })
  // A server has files of its own; what lies in a folder of this machine says nothing of them.
  if (config.url !== null && context.origin === 'folder' && Object.keys(context.files).length > 0) {
    throw new PosternError('BUS_UNNAMED')
  }
  return context
}

/** How to name the same bus again: by the same options, since a bus that a folder tells of is not found by its name. */
export function placeFlags(args: Args): string {
  const named = ['project', 'task'].filter((name) => args.has(name))
  return named.map((name) => ` --${name} ${args.get(name)}`).join('')
}
