import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { BusShelf, ShelfQuery } from '../src/bus/bus-shelf.ts'
import { openBusShelf } from '../src/bus/file-bus-shelf.ts'
import type { BusEntry } from '../src/model/bus/entry.ts'
import { draftOf, idOf, PLACE, pathIn, writeBytes, writeEntries } from './bus/files.ts'
import { parseHeaderByHand, splitEntries } from './bus/hand-parser.ts'
import { posting } from './bus/posting.ts'
import { watching } from './bus/watching.ts'
import { type Contest, type Contestant, type Sample, timed } from './harness.ts'
import type { Lab, Subject } from './lab.ts'

const RAW = 'append+fsync'
const IN_FLIGHT = 100
const ENTRIES = 100_000
const LARGE_BYTES = 1e9
const MIB = 1024 * 1024
/** Less than a megabyte. */
const MAX_READ_MIB = 1e6 / MIB
/** Until nothing is compiled any more: whoever keeps a bus open writes more than that. */
const WARM_UPS = 5_000
const PAGE: ShelfQuery = { limit: 20, maxBytes: 8 * MIB }

/** B1 and the rest of what a bus costs, against what its file alone does. */
export const bus: Subject = (lab) => [
  appending(lab),
  inFlight(lab),
  parsing(lab, 'ours'),
  parsing(lab, 'of another writer'),
  reading(lab),
  readingMuch(lab),
  watching(lab),
  posting(lab),
]

function appending(lab: Lab): Contest {
  return {
    title: 'bus append',
    rounds: lab.quick ? 10 : 20,
    contestants: [
      rawFile(lab, RAW, (append) => () => timed(50, () => append(1))),
      shelf(lab, 'postern', (append) => timed(50, () => append())),
    ],
    goals: [{ id: 'B1', ours: 'postern', than: RAW, faster: 0.8 }],
  }
}

function inFlight(lab: Lab): Contest {
  const raw = `one append+fsync of ${IN_FLIGHT}`
  return {
    title: `${IN_FLIGHT} bus appends in flight`,
    rounds: lab.quick ? 10 : 20,
    contestants: [
      rawFile(lab, raw, (append) => () => timed(10, () => append(IN_FLIGHT))),
      shelf(lab, 'postern', (append) => timed(10, () => Promise.all(Array.from({ length: IN_FLIGHT }, append)))),
    ],
    goals: [{ id: 'B2', ours: 'postern', than: raw, faster: 0.4 }],
  }
}

/** What the disk alone takes for the same bytes. */
function rawFile(
  lab: Lab,
  name: string,
  block: (append: (entries: number) => void) => () => Promise<number>,
): Contestant {
  return {
    name,
    async enter() {
      const root = lab.newFolder()
      writeEntries(root, 1)
      const entry = readFileSync(pathIn(root))
      const fd = openSync(join(root, 'raw.md'), 'a')
      const append = (entries: number) => {
        writeSync(fd, entries === 1 ? entry : Buffer.concat(Array.from({ length: entries }, () => entry)))
        fsyncSync(fd)
      }
      for (let i = 0; i < WARM_UPS; i++) append(1)
      return { block: block(append), leave: () => closeSync(fd) }
    },
  }
}

function shelf(lab: Lab, name: string, block: (append: () => Promise<unknown>) => Promise<number>): Contestant {
  return {
    name,
    async enter() {
      const opened = openBusShelf({ root: lab.newFolder() })
      const draft = draftOf(0)
      const append = () => opened.append(PLACE, draft)
      for (let i = 0; i < WARM_UPS; i++) await append()
      return { block: () => block(append), leave: () => opened.close() }
    },
  }
}

interface JsYaml {
  load(text: string): unknown
}

/** Everything that a file holds, in memory. */
function parsing(lab: Lab, whose: 'ours' | 'of another writer'): Contest {
  let path = ''
  const root = lab.newFolder()
  const parser = (name: string, parse: (text: string) => unknown[]): Contestant => ({
    name,
    enter: async () => ({ block: () => timed(1, () => counted(parse(readFileSync(path, 'utf8')))) }),
  })
  const byHand = (parse: (header: string) => unknown) => (text: string) =>
    splitEntries(text).map(({ header, body }) => ({ fields: parse(header), body }))
  const postern: Contestant = {
    name: 'postern',
    async enter() {
      writeEntries(root, ENTRIES, { isForeign: whose !== 'ours' })
      path = pathIn(root)
      const opened = openBusShelf({ root })
      return {
        block: () => timed(1, async () => counted(await readAll(opened))),
        leave: () => {
          opened.close()
          rmSync(path)
        },
      }
    },
  }
  const yaml: Contestant = {
    name: 'js-yaml',
    async enter() {
      const { load } = await lab.peer<JsYaml>('js-yaml')
      return parser('', byHand(load)).enter()
    },
  }
  return {
    title: `parse of ${ENTRIES.toLocaleString('en')} entries ${whose}`,
    rounds: lab.quick ? 2 : 3,
    contestants: [postern, parser('hand parser', byHand(parseHeaderByHand)), yaml],
    goals: [
      { id: 'B1', ours: 'postern', than: 'hand parser', within: 1.3 },
      { id: 'B1', ours: 'postern', than: 'js-yaml', faster: 5 },
    ],
  }
}

function counted({ length }: readonly unknown[]): void {
  if (length !== ENTRIES) throw new Error(`read ${length} of ${ENTRIES} entries`)
}

async function readAll(opened: BusShelf): Promise<BusEntry[]> {
  const entries: BusEntry[] = []
  let after: string | undefined
  for (;;) {
    const query = { limit: 5_000, maxBytes: 8 * MIB, ...(after !== undefined && { after }) }
    const { items, cursor, hasMore } = await opened.read(PLACE, query)
    entries.push(...items)
    if (!hasMore || cursor === null) return entries
    after = cursor
  }
}

/** A page after an entry that may be anywhere, and one after the page before. */
function reading(lab: Lab): Contest {
  const root = lab.newFolder()
  return {
    title: `bus read at ${ENTRIES.toLocaleString('en')} entries`,
    rounds: lab.quick ? 10 : 20,
    contestants: [
      {
        name: 'after an id',
        async enter() {
          writeEntries(root, ENTRIES)
          return { block: () => readAfter(root, ENTRIES) }
        },
      },
      { name: 'tail of 20', enter: async () => ({ block: () => readTail(root) }) },
    ],
    goals: [{ id: 'B1', ours: 'after an id', atMost: 1 }],
  }
}

function readingMuch(lab: Lab): Contest {
  const root = lab.newFolder()
  let entries = 0
  return {
    title: 'bus read at 1 GB',
    rounds: lab.quick ? 10 : 20,
    contestants: [
      {
        name: 'after an id',
        async enter() {
          entries = writeBytes(root, LARGE_BYTES)
          return { block: () => readAfter(root, entries), leave: () => rmSync(pathIn(root)) }
        },
      },
      { name: 'tail of 20', enter: async () => ({ block: () => readTail(root) }) },
    ],
    goals: ['after an id', 'tail of 20'].flatMap((ours) => [
      { id: 'B3', ours, atMost: 5 },
      { id: 'B3', ours: `${ours} MiB`, atMost: MAX_READ_MIB },
    ]),
  }
}

/** By somebody who has not read there before, and so has to look for it. */
function readAfter(root: string, entries: number): Promise<Sample> {
  return readTimes(async () => {
    const at = Math.floor(Math.random() * (entries - PAGE.limit - 1))
    const { items } = await withBus(root, (opened) => opened.read(PLACE, { ...PAGE, after: idOf(at) }))
    if (items[0]?.msg_id !== idOf(at + 1)) throw new Error('another entry was read')
  })
}

function readTail(root: string): Promise<Sample> {
  return readTimes(async () => {
    const { items } = await withBus(root, (opened) => opened.read(PLACE, { ...PAGE, tail: PAGE.limit }))
    if (items.length !== PAGE.limit) throw new Error(`${items.length} entries were read`)
  })
}

async function withBus<T>(root: string, act: (opened: BusShelf) => Promise<T>): Promise<T> {
  const opened = openBusShelf({ root })
  try {
    return await act(opened)
  } finally {
    opened.close()
  }
}

const READS = 20

/** The average time of a read, and the most that one has read from files. */
async function readTimes(read: () => Promise<void>): Promise<Sample> {
  let [ms, most] = [0, 0]
  for (let i = 0; i < READS; i++) {
    const before = bytesRead()
    ms += await timed(1, read)
    most = Math.max(most, bytesRead() - before)
  }
  return { '': ms / READS, MiB: most / MIB }
}

function bytesRead(): number {
  return Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])
}
