import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  bodiesOf,
  busPath,
  countReads,
  foreignEntry,
  openTestBus,
  plant,
  plantEntries,
  plantedEntry,
  plantedId,
  post,
  TASK,
} from '../../../test/helpers/bus/bus-files.ts'
import { makeTemporaryFolder, removeFolder } from '../../../test/helpers/temp.ts'
import { formatLegacyId } from '../../model/bus/legacy-id.ts'

const PAGE = { limit: 100, maxBytes: 2 ** 31 }
const MB = 1024 * 1024

describe('a page', () => {
  it('holds as many entries as are asked for, and says where to go on', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 25)
    const first = await shelf.read(TASK, { ...PAGE, limit: 10 })
    expect(first.items.map(({ body }) => body)).toEqual(Array.from({ length: 10 }, (_, nth) => `entry ${nth}`))
    expect(first).toMatchObject({ cursor: plantedId(9), hasMore: true, hasGap: false, faults: [] })
    const last = await shelf.read(TASK, { ...PAGE, after: plantedId(14), limit: 10 })
    expect(last).toMatchObject({ cursor: plantedId(24), hasMore: false })
    expect(last.items).toHaveLength(10)
    expect(await shelf.read(TASK, { ...PAGE, after: plantedId(24) })).toMatchObject({
      items: [],
      cursor: plantedId(24),
    })
  })

  it('is no larger than it may be, and never empty for that', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 10, () => 'x'.repeat(1_000))
    const size = plantedEntry(0, 'x'.repeat(1_000)).length
    expect((await shelf.read(TASK, { limit: 10, maxBytes: size * 3 })).items).toHaveLength(3)
    expect(await shelf.read(TASK, { limit: 10, maxBytes: 1 })).toMatchObject({ items: [{}], hasMore: true })
  })

  it('of a bus that is empty is empty, and of none is refused', async () => {
    const { shelf, path } = openTestBus()
    await expect(shelf.read(TASK, PAGE)).rejects.toMatchObject({
      code: 'BUS_NOT_FOUND',
      details: { place: 'atlas/task-1' },
    })
    expect(await shelf.lastId(TASK)).toBeUndefined()
    expect(await shelf.find(TASK, 'MSG-1')).toBeUndefined()
    plant(path, '')
    expect(await shelf.read(TASK, PAGE)).toEqual({ items: [], cursor: null, hasMore: false, hasGap: false, faults: [] })
    expect(await shelf.read(TASK, { ...PAGE, tail: 5 })).toMatchObject({ items: [], cursor: null })
  })

  it('tells what is no entry among what it holds, and nothing else', async () => {
    const { shelf, path } = openTestBus()
    const parts = [plantedEntry(0), Buffer.from('stray\n'), plantedEntry(1), Buffer.from('astray\n'), plantedEntry(2)]
    plant(path, Buffer.concat(parts))
    const whole = await shelf.read(TASK, PAGE)
    expect(whole.items).toHaveLength(3)
    const [first, second] = [plantedEntry(0).length, Buffer.concat(parts.slice(0, 3)).length]
    expect(whole.faults).toEqual([
      { file: 'TASK-MESSAGE-BUS.md', offset: first, bytes: 6, reason: expect.any(String) },
      { file: 'TASK-MESSAGE-BUS.md', offset: second, bytes: 7, reason: expect.any(String) },
    ])
    expect((await shelf.read(TASK, { ...PAGE, limit: 2 })).faults).toHaveLength(2)
    expect((await shelf.read(TASK, { ...PAGE, limit: 1 })).faults).toHaveLength(1)
    expect((await shelf.read(TASK, { ...PAGE, after: plantedId(1) })).faults).toHaveLength(1)
  })

  it('goes through entries, blanks and faults that are larger than what is read at once', async () => {
    const { shelf, path } = openTestBus()
    const [large, blanks] = ['x'.repeat(250_000), '\n'.repeat(3 * MB)]
    const garbage = 'garbage\n'.repeat(200_000)
    plant(path, Buffer.concat([plantedEntry(0, large), Buffer.from(blanks + garbage), plantedEntry(1, large)]))
    const page = await shelf.read(TASK, PAGE)
    expect(page.items.map(({ body }) => body)).toEqual([large, large])
    expect(page.faults.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(garbage.length)
    expect(await bodiesOf(shelf, { tail: 1 })).toEqual([large])
    expect(await bodiesOf(shelf, { tail: 2 })).toEqual([large, large])
    expect(await bodiesOf(shelf, { after: plantedId(0) })).toEqual([large])
  })
})

describe('in a large file', () => {
  const COUNT = 100_000
  let root = ''

  beforeAll(() => {
    root = makeTemporaryFolder()
    plantEntries(busPath(root), COUNT, (nth) => `${nth} ${'x'.repeat(100 + (nth % 7) * 40)}`)
    expect(statSync(busPath(root)).size).toBeGreaterThan(40 * MB)
  })
  afterAll(() => removeFolder(root))

  const openLarge = () => ({ ...openTestBus({ root }), reads: countReads() })

  it('the last ones are read without what lies before', async () => {
    const { shelf, reads } = openLarge()
    const { items } = await shelf.read(TASK, { ...PAGE, tail: 20 })
    expect(items.map(({ msg_id }) => msg_id)).toEqual(Array.from({ length: 20 }, (_, at) => plantedId(COUNT - 20 + at)))
    expect(reads.bytes).toBeLessThan(MB / 4)
    reads.reset()
    expect(await shelf.lastId(TASK)).toBe(plantedId(COUNT - 1))
    expect(reads.bytes).toBeLessThan(MB / 64)
  })

  it('an entry is found by the time in its id, wherever it is', async () => {
    const { shelf, reads } = openLarge()
    for (const nth of [0, 1, 77, 12_345, 50_000, 99_980, 99_998, 99_999]) {
      reads.reset()
      const { items, hasMore } = await shelf.read(TASK, { ...PAGE, after: plantedId(nth) })
      const count = Math.min(100, COUNT - 1 - nth)
      expect(items.map(({ msg_id }) => msg_id)).toEqual(
        Array.from({ length: count }, (_, at) => plantedId(nth + 1 + at)),
      )
      expect(hasMore).toBe(nth + 1 + count < COUNT)
      expect(reads.bytes).toBeLessThan(MB / 2)
      expect(await shelf.find(TASK, plantedId(nth))).toMatchObject({ msg_id: plantedId(nth) })
    }
  })

  it('whoever goes on where a page ended reads only what comes next', async () => {
    const { shelf, reads } = openLarge()
    const { cursor } = await shelf.read(TASK, { ...PAGE, tail: 2, limit: 1 })
    reads.reset()
    const page = await shelf.readOn(TASK, { ...PAGE, after: cursor ?? '' })
    expect(page.items).toMatchObject([{ msg_id: plantedId(COUNT - 1) }])
    expect(reads.bytes).toBeLessThan(8_192)
  })

  it('an id that is nowhere is refused', async () => {
    const { shelf } = openLarge()
    const id = plantedId(50_000).replace('PID01234', 'PID09999')
    await expect(shelf.read(TASK, { ...PAGE, after: id })).rejects.toMatchObject({
      code: 'BUS_ENTRY_NOT_FOUND',
      details: { place: 'atlas/task-1', id },
    })
  })
})

describe('where ids do not rise', () => {
  it('an entry is found all the same', async () => {
    const { shelf, path } = openTestBus()
    const order = Array.from({ length: 3_000 }, (_, at) => (at * 1_237) % 3_000)
    plant(path, Buffer.concat(order.map((nth) => plantedEntry(nth, 'x'.repeat(200)))))
    for (const at of [0, 1, 1_500, 2_998]) {
      const page = await shelf.read(TASK, { ...PAGE, limit: 1, after: plantedId(order[at] as number) })
      expect(page.items).toMatchObject([{ msg_id: plantedId(order[at + 1] as number) }])
    }
    expect(await bodiesOf(shelf, { after: plantedId(order[2_999] as number) })).toEqual([])
  })

  it('an entry is found by an id of any form', async () => {
    const { shelf, path } = openTestBus()
    const ids = ['01HZX-1', 'b7e0', 'MSG-99999999-000000-000000000-PID00001-0001', 'zz.9']
    const quoting = `${foreignEntry('quoted', 'see\n  msg_id: b7e0\nabove')}`
    plant(path, `\uFEFF${ids.map((id) => foreignEntry(id, `of ${id}`)).join('')}${quoting}`)
    expect(await bodiesOf(shelf, { after: 'b7e0', limit: 1 })).toEqual([
      'of MSG-99999999-000000-000000000-PID00001-0001',
    ])
    expect(await bodiesOf(shelf, { after: '01HZX-1', limit: 1 })).toEqual(['of b7e0'])
    expect(await bodiesOf(shelf, { after: 'zz.9' })).toEqual(['see\n  msg_id: b7e0\nabove'])
    expect(await bodiesOf(shelf, { after: 'quoted' })).toEqual([])
    await expect(shelf.read(TASK, { ...PAGE, after: 'above' })).rejects.toMatchObject({ code: 'BUS_ENTRY_NOT_FOUND' })
  })

  it('an entry is found though its id is quoted in the file', async () => {
    const { shelf, path } = openTestBus()
    const quoted = ['"two words"', "'it''s'", '"tab\\tstop"', 'ümlaut', '"b\\x65"']
    plant(path, quoted.map((id) => foreignEntry(id, `of ${id}`)).join(''))
    const ids = ['two words', "it's", 'tab\tstop', 'ümlaut']
    for (const [at, id] of ids.entries()) {
      expect(await bodiesOf(shelf, { after: id, limit: 1 })).toEqual([`of ${quoted[at + 1]}`])
      expect(await shelf.find(TASK, id)).toMatchObject({ msg_id: id })
    }
  })

  it('nobody is led in a circle by an id that stands there twice', async () => {
    const { shelf, path } = openTestBus()
    plant(path, ['a', 'twice', 'b', 'twice', 'c'].map((id) => foreignEntry(id, id)).join(''))
    expect(await bodiesOf(shelf, { after: 'twice' })).toEqual(['c'])
    const seen: string[] = []
    for (let after = 'a'; seen.length < 10; ) {
      const { items, cursor } = await shelf.read(TASK, { ...PAGE, limit: 1, after })
      if (items.length === 0) break
      seen.push(...items.map(({ body }) => body))
      after = cursor ?? ''
    }
    expect(seen.at(-1)).toBe('c')
    expect(seen.length).toBeLessThan(5)
  })

  it('older one-line records are named for their lines, however one comes to them', async () => {
    const { shelf, path } = openTestBus()
    const line = (nth: number) => `[2026-02-05 12:00:${`${nth % 60}`.padStart(2, '0')}] FACT: line ${nth}\n`
    const lines = Array.from({ length: 5_000 }, (_, at) => line(at + 1))
    plant(path, lines.join(''))
    expect((await shelf.read(TASK, { ...PAGE, tail: 2 })).items).toMatchObject([
      { msg_id: 'LEGACY-LINE-000004999', body: 'line 4999', ...TASK },
      { msg_id: 'LEGACY-LINE-000005000' },
    ])
    for (const after of ['LEGACY-LINE-4998', 'LEGACY-LINE-000004998'])
      expect(await bodiesOf(shelf, { after })).toEqual(['line 4999', 'line 5000'])
    await post(shelf, 'new')
    appendFileSync(path, line(1))
    const { items } = await shelf.read(TASK, { ...PAGE, tail: 2 })
    const count = readFileSync(path, 'utf8').split('\n').length - 1
    expect(items).toMatchObject([{ body: 'new' }, { msg_id: formatLegacyId(count) }])
    expect(await shelf.find(TASK, `LEGACY-LINE-${count}`)).toMatchObject({ body: 'line 1' })
  })
})

describe('across archives', () => {
  it('tells a gap after a one-line record whose number two files hold', async () => {
    const { shelf, path, root } = openTestBus()
    const line = (text: string) => `[2026-02-05 12:00:00] FACT: ${text}\n`
    plant(path, line('old one') + line('old two') + line('old three'))
    await shelf.rotate(TASK, {})
    plant(path, line('new one') + line('new two'))
    const cold = (id: string) => openTestBus({ root }).shelf.readOn(TASK, { ...PAGE, after: `LEGACY-LINE-${id}` })
    for (const id of ['1', '000000001']) {
      expect(await cold(id)).toMatchObject({ items: [{ body: 'new two' }], hasGap: true })
      const { shelf: other } = openTestBus({ root })
      expect(await other.read(TASK, { ...PAGE, after: `LEGACY-LINE-${id}` })).toMatchObject({ hasGap: true })
    }
    const [two, three] = [await cold('2'), await cold('3')]
    expect(two).toMatchObject({ items: [], cursor: 'LEGACY-LINE-000000002', hasGap: true })
    expect(three).toMatchObject({ items: [{ body: 'new one' }, { body: 'new two' }], hasGap: false })
  })

  it('follows one-line records through a rotation without a gap', async () => {
    const { shelf, path } = openTestBus()
    const line = (text: string) => `[2026-02-05 12:00:00] FACT: ${text}\n`
    plant(path, line('1') + line('2') + line('3'))
    await shelf.rotate(TASK, {})
    plant(path, line('4') + line('5'))
    const seen: string[] = []
    let page = await shelf.read(TASK, { ...PAGE, limit: 1 })
    for (; page.items.length > 0 && seen.length < 9; ) {
      seen.push(...page.items.map(({ body }) => body))
      expect(page.hasGap).toBe(false)
      page = await shelf.readOn(TASK, { ...PAGE, limit: 1, after: page.cursor ?? '' })
    }
    expect(seen).toEqual(['1', '2', '3', '4', '5'])
  })

  /** Three files, the last of which begins with entry 20. */
  async function makeArchives() {
    const bus = openTestBus()
    plantEntries(bus.path, 10)
    expect(await bus.shelf.rotate(TASK, {})).toMatchObject({ archive: 'TASK-MESSAGE-BUS.0001.md' })
    for (let nth = 10; nth < 20; nth++) appendFileSync(bus.path, plantedEntry(nth))
    expect(await bus.shelf.rotate(TASK, {})).toMatchObject({ archive: 'TASK-MESSAGE-BUS.0002.md' })
    for (let nth = 20; nth < 25; nth++) appendFileSync(bus.path, plantedEntry(nth))
    return bus
  }
  const bodies = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `entry ${from + at}`)

  it('reading goes from the oldest to the newest', async () => {
    const { shelf } = await makeArchives()
    expect(await bodiesOf(shelf)).toEqual(bodies(0, 25))
    expect(await bodiesOf(shelf, { limit: 12 })).toEqual(bodies(0, 12))
    expect(await shelf.read(TASK, { ...PAGE, limit: 10 })).toMatchObject({ hasMore: true, cursor: plantedId(9) })
  })

  it.each([0, 8, 9, 10, 19, 20, 24])('cursors stay good: %i', async (nth) => {
    const { shelf } = await makeArchives()
    expect(await bodiesOf(shelf, { after: plantedId(nth) })).toEqual(bodies(nth + 1, 25))
  })

  it.each([3, 5, 7, 15, 20, 40])('the last %i are those of the whole', async (tail) => {
    const { shelf } = await makeArchives()
    expect(await bodiesOf(shelf, { tail })).toEqual(bodies(Math.max(0, 25 - tail), 25))
  })

  it('a cursor that was remembered leads to the archive that its file has become', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 10)
    const { cursor } = await shelf.read(TASK, { ...PAGE, limit: 5 })
    await shelf.rotate(TASK, {})
    expect(await bodiesOf(shelf, { after: cursor ?? '' })).toEqual(bodies(5, 10))
    expect(await shelf.lastId(TASK)).toBe(plantedId(9))
    rmSync(path)
    expect(await bodiesOf(shelf)).toEqual(bodies(0, 10))
  })

  it('a bus that is rotated again and again while it is read is read once, without a gap', async () => {
    const { shelf, path } = openTestBus({ rotateBytes: 2_000 })
    let isOver = false
    const writing = (async () => {
      for (let nth = 0; nth < 300; nth++) await post(shelf, `${nth}`)
      isOver = true
    })()
    await expect.poll(() => statSync(path, { throwIfNoEntry: false })?.size ?? 0).toBeGreaterThan(0)
    const seen: string[] = []
    let { items, cursor } = await shelf.read(TASK, { ...PAGE, limit: 1 })
    for (let wasOver = false; !wasOver || items.length > 0; ) {
      seen.push(...items.map(({ body }) => body))
      wasOver = isOver
      await nextTurn()
      const page = await shelf.readOn(TASK, { ...PAGE, after: cursor ?? '' })
      expect(page.hasGap).toBe(false)
      ;({ items, cursor } = page)
    }
    await writing
    expect(seen).toEqual(Array.from({ length: 300 }, (_, nth) => `${nth}`))
  })
})

describe('to read on', () => {
  it('goes on by time where the entry is gone, and says so', async () => {
    const { shelf, path } = openTestBus()
    plant(path, Buffer.concat([0, 1, 5, 6].map((nth) => plantedEntry(nth))))
    const page = await shelf.readOn(TASK, { ...PAGE, after: plantedId(3) })
    expect(page).toMatchObject({ hasGap: true, cursor: plantedId(6) })
    expect(page.items.map(({ body }) => body)).toEqual(['entry 5', 'entry 6'])
  })

  it('leaves out nothing that another wrote in the moment of the entry that is gone', async () => {
    const { shelf, path } = openTestBus()
    plant(path, Buffer.concat([0, 1, 2].map((nth) => plantedEntry(nth))))
    const gone = plantedId(1).replace(/PID\d+/, 'PID77777')
    const page = await shelf.readOn(TASK, { ...PAGE, after: gone })
    expect(page).toMatchObject({ hasGap: true, items: [{ msg_id: plantedId(1) }, { msg_id: plantedId(2) }] })
  })

  it('goes on after all that is there where nothing is later, and from the beginning where nobody knows', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 3)
    const late = await shelf.readOn(TASK, { ...PAGE, after: plantedId(99) })
    expect(late).toEqual({ items: [], cursor: plantedId(2), hasMore: false, hasGap: true, faults: [] })
    const odd = await shelf.readOn(TASK, { ...PAGE, after: 'who-knows' })
    expect(odd).toMatchObject({ hasGap: true, cursor: plantedId(2), items: [{}, {}, {}] })
    writeFileSync(path, '')
    expect(await shelf.readOn(TASK, { ...PAGE, after: plantedId(1) })).toMatchObject({
      items: [],
      cursor: null,
      hasGap: true,
    })
  })

  it('survives an editor that rewrites the file', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 5)
    const { cursor } = await shelf.read(TASK, PAGE)
    const text = Buffer.concat([0, 3, 4, 5].map((nth) => plantedEntry(nth, `edited ${nth}`)))
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
    const page = await shelf.readOn(TASK, { ...PAGE, after: cursor ?? '' })
    expect(page).toMatchObject({ hasGap: false, cursor: plantedId(5) })
    expect(page.items.map(({ body }) => body)).toEqual(['edited 5'])
  })

  it('does not trust what it remembers', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 5)
    const { cursor } = await shelf.read(TASK, { ...PAGE, limit: 3 })
    writeFileSync(path, Buffer.concat([9, 2, 4].map((nth) => plantedEntry(nth, 'x'.repeat(nth)))))
    expect((await shelf.readOn(TASK, { ...PAGE, after: cursor ?? '' })).items).toMatchObject([{ msg_id: plantedId(4) }])
    truncateSync(path, 10)
    expect(await shelf.readOn(TASK, { ...PAGE, after: cursor ?? '' })).toMatchObject({ items: [], hasGap: true })
  })
})

describe('an entry that is cut off at the end', () => {
  const torn = plantedEntry(1, 'a long body').subarray(0, -6)

  it('is told where nobody writes', async () => {
    const { shelf, path } = openTestBus()
    plant(path, Buffer.concat([plantedEntry(0), torn]))
    const { items, faults } = await shelf.read(TASK, PAGE)
    expect(items).toHaveLength(1)
    expect(faults).toMatchObject([{ msg_id: plantedId(1), reason: expect.stringContaining('cut off') }])
  })

  it('is not yet told where somebody is writing it', async () => {
    const { shelf, path } = openTestBus()
    plant(path, Buffer.concat([plantedEntry(0), torn]))
    const writer = spawn('flock', ['-o', path, 'sh', '-c', 'echo held; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void writer.kill('SIGKILL'))
    await once(writer.stdout, 'data')
    expect(await shelf.read(TASK, PAGE)).toMatchObject({ items: [{ body: 'entry 0' }], faults: [] })
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    expect((await shelf.read(TASK, PAGE)).faults).toHaveLength(1)
  })

  it('is read as its writer leaves it where that does not say how long it is', async () => {
    const { shelf, path } = openTestBus()
    plant(path, plantedEntry(0))
    const slow = `printf %s "$1" >> "$0"; echo begun; read -r _; echo 'second half' >> "$0"`
    const half = foreignEntry('x-1', 'first half')
    const writer = spawn('flock', ['-o', path, 'sh', '-c', slow, path, half], { stdio: ['pipe', 'pipe', 'ignore'] })
    onTestFinished(() => void writer.kill('SIGKILL'))
    await once(writer.stdout, 'data')
    expect(await bodiesOf(shelf)).toEqual(['entry 0'])
    expect(await shelf.verify(TASK)).toMatchObject({ isSound: true, entries: 1 })
    writer.stdin.end('\n')
    await once(writer, 'exit')
    expect(await bodiesOf(shelf)).toEqual(['entry 0', 'first half\nsecond half'])
  })
})

describe('a line that is larger than any entry', () => {
  it('stops nobody who reads from the end', async () => {
    const { shelf, path } = openTestBus()
    plant(path, `${plantedEntry(0)}${'x'.repeat(10 * MB)}\n`)
    expect(await shelf.lastId(TASK)).toBe(plantedId(0))
    expect(await bodiesOf(shelf, { tail: 1 })).toEqual(['entry 0'])
    expect(await shelf.list()).toMatchObject([{ lastId: plantedId(0) }])
  })
})

describe('whoever follows a busy bus', () => {
  it('lets others run, though there always is more', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 3)
    let isOver = false
    setTimeout(() => {
      isOver = true
    }, 1)
    for (let reads = 0; !isOver && reads < 20_000; reads++) await shelf.readOn(TASK, { ...PAGE, after: plantedId(1) })
    expect(isOver).toBe(true)
  })
})

it('a closed shelf refuses reads, so that a follower ends', async () => {
  const { shelf, path } = openTestBus()
  plantEntries(path, 2)
  shelf.close()
  await expect(shelf.read(TASK, PAGE)).rejects.toThrow('closed')
  await expect(shelf.readOn(TASK, { ...PAGE, after: plantedId(0) })).rejects.toThrow('closed')
})
