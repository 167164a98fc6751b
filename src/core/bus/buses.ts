import type { BusRotation, BusStatus, BusVerification, RotateBus } from '../../model/bus/bus.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import type { IssueGraph } from '../../model/bus/issue.ts'
import { createIssueLog } from '../../model/bus/issues.ts'
import { parseBusId, parsePlace, placeName } from '../../model/bus/place.ts'
import { isProgram } from '../../model/caller.ts'
import { PosternError } from '../../model/errors.ts'
import type { Context } from '../context.ts'
import { PAGE_BYTES } from './pages.ts'

const PAGE_ENTRIES = 5_000

/** More than anybody has written about issues, and less than memory holds. */
const MAX_ENTRIES = 1_000_000

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

/** Reads all of a bus, a page at a time, and keeps of it what concerns issues. */
export async function busIssues(ctx: Context, input: BusPlace): Promise<IssueGraph> {
  const place = parsePlace(input)
  const { shelf } = await ctx.bus()
  const log = createIssueLog()
  let after: string | undefined
  for (let read = 0; read < MAX_ENTRIES; ) {
    const query = { limit: PAGE_ENTRIES, maxBytes: PAGE_BYTES }
    const page = after === undefined ? await shelf.read(place, query) : await shelf.readOn(place, { ...query, after })
    for (const entry of page.items) log.add(entry)
    after = page.items.at(-1)?.msg_id ?? after
    read += page.items.length
    if (!page.hasMore || page.items.length === 0) return log.graph(place)
  }
  throw new PosternError('BUS_UNUSABLE', {
    path: `of ${placeName(place)}`,
    reason: `it has more than ${MAX_ENTRIES} entries, too many to tell its issues`,
  })
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
