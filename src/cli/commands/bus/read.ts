import type { BusPage, ReadBus } from '../../../model/bus/bus.ts'
import type { BusEntry } from '../../../model/bus/entry.ts'
import type { Command, Io } from '../../shell/command.ts'
import { printText } from '../../shell/following.ts'
import { formatJson } from '../../shell/json.ts'
import { numberIn } from '../../shell/numbers.ts'
import { openPosternForBus, PLACE_OPTIONS } from './place.ts'
import { ENTRY_OPTIONS, GAP, showEntries, tellFaults, wantedBy } from './shown.ts'

const DEFAULT_TAIL = 20

export const busRead: Command = {
  path: 'bus read',
  isForAnyone: true,
  summary: 'Read a bus, oldest first: its last entries, or what comes after one.',
  options: [
    ...PLACE_OPTIONS,
    ...ENTRY_OPTIONS,
    { name: 'tail', value: '<n>', summary: 'the last so many (default 20); 0 for all' },
    { name: 'limit', value: '<n>', summary: 'at most so many' },
  ],
  examples: [
    'postern bus read --project conductor-loop --task task-docs',
    'postern bus read --project conductor-loop --after MSG-20260205-123456-123456789-PID01234-0001 --json',
  ],

  async run(io, args) {
    const { postern, place } = await openPosternForBus(io, args)
    const [tail, limit] = [numberIn(args, 'tail'), numberIn(args, 'limit')]
    const wanted = {
      ...wantedBy(args, place),
      ...(tail === undefined ? !args.has('after') && { tail: DEFAULT_TAIL } : { tail }),
      ...(limit !== undefined && { limit }),
    }
    const printer = io.isJson ? createJsonPrinter() : createTextPrinter(io, args.has('merged'))
    // Whoever sets no limit wants all of it, however many pages that takes.
    for await (const page of pagesOf((input) => postern.bus.read(input), wanted)) {
      tellFaults(io, page, args)
      if (page.hasGap) io.stderr.line(GAP)
      if (!(await printer.page(page))) return undefined
    }
    await printer.end()
    return undefined
  },
}

async function* pagesOf(read: (input: ReadBus) => Promise<BusPage>, wanted: ReadBus): AsyncGenerator<BusPage> {
  const { tail: _, ...rest } = wanted
  let page = await read(wanted)
  yield page
  while (page.hasMore && page.cursor !== null && wanted.limit === undefined) {
    page = await read({ ...rest, after: page.cursor })
    yield page
  }
}

/** Prints pages as they come, so that a bus of any size can be read. False where nobody takes them any more. */
interface Printer {
  page(page: BusPage): Promise<boolean>
  end(): Promise<boolean>
}

function createTextPrinter(io: Pick<Io, 'stdout' | 'stderr'>, namesBus: boolean): Printer {
  let last: BusPage | undefined
  let count = 0
  return {
    async page(page) {
      last = page
      count += page.items.length
      return page.items.length === 0 || printText(`${showEntries(io, page.items, namesBus)}\n`)
    },
    async end() {
      if (last?.hasMore) io.stderr.line(`(there are more: --after ${last.cursor})`)
      return count > 0 || printText('Nothing is there.\n')
    },
  }
}

/** One answer, whatever number of pages it is made of. */
function createJsonPrinter(): Printer {
  let opening = '{\n  "items": ['
  let rest: Omit<BusPage, 'items' | 'cursors'> | undefined
  const faults: BusPage['faults'][number][] = []
  let hasGap = false
  return {
    async page({ items, cursors: _, ...others }) {
      rest = others
      faults.push(...others.faults)
      hasGap ||= others.hasGap
      const text = items.map((entry) => opener() + inList(entry)).join('')
      return text === '' || printText(text)
    },
    async end() {
      const closing = opening === ',' ? '\n  ],\n' : `${opening}],\n`
      return printText(`${closing}${formatJson({ ...rest, hasGap, faults }).slice('{\n'.length)}\n`)
    },
  }

  function opener(): string {
    const now = opening
    opening = ','
    return now
  }
}

function inList(entry: BusEntry): string {
  return `\n    ${formatJson(entry).replaceAll('\n', '\n    ')}`
}
