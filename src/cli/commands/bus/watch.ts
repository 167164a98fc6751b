import type { BusPage, ReadBus } from '../../../model/bus/bus.ts'
import { asPosternError } from '../../../model/errors.ts'
import type { Postern } from '../../../model/postern.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { insist, printText, stayLean } from '../../shell/following.ts'
import { formatJsonLine } from '../../shell/json.ts'
import { numberIn } from '../../shell/numbers.ts'
import { openPosternForBus, PLACE_OPTIONS, type PosternForBus } from './place.ts'
import { ENTRY_OPTIONS, GAP, showEntries, tellFaults, wantedBy } from './shown.ts'

const WAIT_MS = 60_000

export const busWatch: Command = {
  path: 'bus watch',
  isLasting: true,
  isForAnyone: true,
  summary: 'Tell what comes on a bus, as it comes, until you end it.',
  options: [
    ...PLACE_OPTIONS,
    ...ENTRY_OPTIONS,
    { name: 'tail', value: '<n>', summary: 'begin so many before the end (default: with what is new); 0 for all' },
  ],
  examples: [
    'postern bus watch --project conductor-loop --task task-docs --merged',
    'postern bus watch --tail 5 --json',
  ],

  async run(io, args) {
    const bus = await openPosternForBus(io, args)
    const wanted = wantedBy(args, bus.place)
    const first = await begin(io, args, bus, wanted)
    await follow(io, args, bus.postern, { wanted, first })
    return undefined
  },
}

/** Where to begin: after an entry, or some of the last before what is new. A bus that is not there yet may come. */
async function begin(io: Io, args: Args, { postern }: PosternForBus, wanted: ReadBus): Promise<BusPage> {
  const tail = numberIn(args, 'tail')
  try {
    if (args.has('after')) return await postern.bus.read({ ...wanted, ...(tail !== undefined && { tail }) })
    // Of what is there only its end is asked for, whoever wrote it.
    if (tail === undefined)
      return { ...(await postern.bus.read({ ...placeIn(wanted), tail: 1 })), items: [], faults: [] }
    return await postern.bus.read({ ...wanted, tail })
  } catch (error) {
    const { code } = asPosternError(error)
    if (code !== 'BUS_NOT_FOUND' || args.has('after')) throw error
    io.stderr.line('There is no such bus yet; waiting for it.')
    return { items: [], cursor: null, hasMore: false, hasGap: false, faults: [] }
  }
}

function placeIn({ project_id, task_id, merged }: ReadBus): ReadBus {
  return { project_id, ...(task_id !== undefined && { task_id }), ...(merged !== undefined && { merged }) }
}

interface Beginning {
  readonly wanted: ReadBus
  readonly first: BusPage
}

/** Ends where nobody takes the lines any more. */
async function follow(io: Io, args: Args, postern: Postern, { wanted, first }: Beginning): Promise<void> {
  stayLean()
  const { after: _, tail: __, ...rest } = wanted
  for (let page = first; ; ) {
    tellFaults(io, page, args)
    const text = textOf(io, page, wanted.merged === true)
    if (text !== '' && !(await printText(text))) return
    const { cursor } = page
    const input = { ...rest, ...(cursor !== null && { after: cursor }), timeoutMs: WAIT_MS }
    page = await insist(io, () => postern.bus.wait(input))
  }
}

function textOf(io: Io, { items, hasGap, cursor }: BusPage, namesBus: boolean): string {
  if (!io.isJson) {
    const shown = items.length === 0 ? [] : [showEntries(io, items, namesBus)]
    return [...(hasGap ? [GAP] : []), ...shown].map((text) => `${text}\n`).join('')
  }
  const gap = hasGap ? [{ type: 'gap', cursor }] : []
  return [...gap, ...items].map((each) => `${formatJsonLine(each)}\n`).join('')
}
