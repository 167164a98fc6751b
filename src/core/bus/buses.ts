import type { BusRotation, BusStatus, BusVerification, RotateBus } from '../../model/bus/bus.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { parseBusId, parsePlace } from '../../model/bus/place.ts'
import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Context } from '../context.ts'

/** Every bus below the root, or those of one project. */
export async function listBuses(
  ctx: Context,
  input: { readonly project_id?: string } = {},
): Promise<readonly BusStatus[]> {
  const project = input.project_id === undefined ? undefined : parseBusId('project_id', input.project_id)
  const { shelf } = await ctx.bus()
  const all = await shelf.list()
  return project === undefined ? all : all.filter(({ project_id }) => project_id === project)
}

export async function verifyBus(ctx: Context, input: BusPlace): Promise<BusVerification> {
  const { shelf } = await ctx.bus()
  return shelf.verify(parsePlace(input))
}

/** Begins the file of a bus anew. A program cannot: others may be reading there. */
export async function rotateBus(ctx: Context, input: RotateBus): Promise<BusRotation> {
  const place = parsePlace(input)
  const { overBytes } = input
  if (isProgram(ctx.caller)) {
    const message = `${ctx.caller.id} cannot set a bus aside.`
    throw new PosternError('NOT_ALLOWED', { message, next: 'Let a person do it, or leave it to grow.' })
  }
  if (overBytes !== undefined && !(Number.isSafeInteger(overBytes) && overBytes >= 0)) {
    const next = 'Use a whole number of bytes.'
    throw new PosternError('VALUE_INVALID', { field: 'size', value: overBytes, next })
  }
  const { shelf } = await ctx.bus()
  return shelf.rotate(place, overBytes === undefined ? {} : { overBytes })
}
