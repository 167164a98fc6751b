import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  ALL,
  bodiesOf,
  countReads,
  draftOf,
  foreignEntry,
  openTestBus,
  plant,
  plantedEntry,
  plantedId,
  post,
  replaceForTest,
  TASK,
  textOf,
} from '../../../test/helpers/bus/bus-files.ts'
import { PATIENTLY } from '../../../test/helpers/patience.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { FULL } from '../../../test/helpers/tier.ts'

describe('an entry', () => {
  it('makes the bus and the folders above it, for their owner alone', async () => {
    const { shelf, path } = openTestBus()
    const { msg_id, ts, repaired } = await post(shelf, 'one')
    expect(msg_id).toMatch(/^MSG-\d{8}-\d{6}-\d{9}-PID\d{5,}-\d{4}$/)
    expect(ts).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(repaired).toBeUndefined()
    expect(statSync(path).mode & 0o777).toBe(0o600)
    for (const folder of [dirname(path), dirname(dirname(path))]) expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect((await shelf.read(TASK, ALL)).items).toEqual([{ msg_id, ts, type: 'FACT', ...TASK, body: 'one' }])
  })

  it('has its name and those of its folders on the disk before anything is in it', async () => {
    const { shelf, path, root } = openTestBus()
    const { fsyncSync, openSync, writeSync } = fs
    const order: unknown[] = []
    const paths = new Map<number, unknown>()
    replaceForTest({
      openSync: (...words) => {
        const fd = openSync(...words)
        paths.set(fd, words[0])
        return fd
      },
      fsyncSync: (fd) => [order.push(paths.get(fd)), fsyncSync(fd)][1] as undefined,
      writeSync: ((...words: Parameters<typeof writeSync>) => [order.push('write'), writeSync(...words)][1]) as never,
    })
    await post(shelf, 'one')
    const names = [dirname(path), dirname(dirname(path)), root, dirname(root)]
    expect(new Set(order.slice(0, order.indexOf('write')))).toEqual(new Set(names))
  })

  it('that is only prepared is not written, and is written when it is appended', async () => {
    const { shelf, path } = openTestBus()
    const entry = shelf.prepare(TASK, draftOf('one'))
    expect(existsSync(dirname(dirname(path)))).toBe(false)
    await entry.append()
    expect(await bodiesOf(shelf)).toEqual(['one'])
  })

  it('is refused when it is prepared, whether its bus is open or not', async () => {
    const { shelf, path } = openTestBus()
    const wrong = { ...draftOf('wrong'), meta: { long: 'x'.repeat(20_000) } }
    const refused = expect.objectContaining({ code: 'BUS_ENTRY_INVALID' })
    expect(() => shelf.prepare(TASK, wrong)).toThrow(refused)
    expect(existsSync(dirname(dirname(path)))).toBe(false)
    await post(shelf, 'one')
    expect(() => shelf.prepare(TASK, wrong)).toThrow(refused)
    expect(await bodiesOf(shelf)).toEqual(['one'])
  })

  it('leaves the modes of what others made as they are', async () => {
    const { shelf, path } = openTestBus()
    plant(path, '')
    chmodSync(path, 0o644)
    await post(shelf, 'one')
    expect(statSync(path).mode & 0o777).toBe(0o644)
  })

  it('that cannot be written leaves no bus behind, and harms none that is written with it', async () => {
    const { shelf, path } = openTestBus()
    const wrong = { ...draftOf('wrong'), meta: { long: 'x'.repeat(20_000) } }
    await expect(shelf.append(TASK, wrong)).rejects.toMatchObject({ code: 'BUS_ENTRY_INVALID' })
    expect(existsSync(dirname(dirname(path)))).toBe(false)
    await post(shelf, 'one')
    const ended = await Promise.allSettled([post(shelf, 'two'), shelf.append(TASK, wrong), post(shelf, 'three')])
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await bodiesOf(shelf)).toEqual(['one', 'two', 'three'])
  })
})

describe('entries that are written at once', () => {
  it('let the rest of the process go on, however many they are and however quick the disk is', async () => {
    const { shelf } = openTestBus()
    replaceForTest({
      fdatasync: ((_: number, done: (error: null) => void) => setImmediate(done, null)) as never,
      fdatasyncSync: () => {},
    })
    for (let i = 0; i < 50; i++) await post(shelf, 'first')
    let turns = 0
    let isOver = false
    const turn = () => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    await Promise.all(Array.from({ length: 60_000 }, () => post(shelf, 'x')))
    isOver = true
    // Sixty batches, few of which take longer together than anybody may have to wait.
    expect(turns).toBeGreaterThan(4)
  })

  it('share one write and one wait for the disk, in the order in which they came', async () => {
    const { shelf, path } = openTestBus()
    await post(shelf, 'first')
    const { fdatasync, fdatasyncSync, writeSync } = fs
    const calls = { waits: 0, writes: 0 }
    replaceForTest({
      fdatasync: ((...words: Parameters<typeof fdatasync>) => [calls.waits++, fdatasync(...words)][1]) as never,
      fdatasyncSync: (fd) => [calls.waits++, fdatasyncSync(fd)][1] as undefined,
      writeSync: ((...words: Parameters<typeof writeSync>) => [calls.writes++, writeSync(...words)][1]) as never,
    })
    const bodies = Array.from({ length: 100 }, (_, at) => `${at}`)
    const appended = await Promise.all(bodies.map((body) => post(shelf, body)))
    expect(calls).toEqual({ waits: 1, writes: 1 })
    expect(await bodiesOf(shelf)).toEqual(['first', ...bodies])
    const ids = appended.map(({ msg_id }) => msg_id)
    expect(ids.toSorted()).toEqual(ids)
    expect(textOf(path).endsWith('99\n')).toBe(true)
  })
})

describe('ids', () => {
  it('rise though the clock stands still or goes back', async () => {
    let now = Date.UTC(2026, 1, 5)
    const { shelf, root } = openTestBus({ now: () => now })
    const { msg_id: first } = await post(shelf, 'one')
    now -= 3_600_000
    const { msg_id: second, ts } = await post(shelf, 'two')
    expect(second > first).toBe(true)
    expect(ts).toBe('2026-02-04T23:00:00Z')
    const other = openTestBus({ root, now: () => now - 1 })
    expect((await post(other.shelf, 'three')).msg_id > second).toBe(true)
  })

  it('rise above those of others, whatever stands last in the file', async () => {
    const { shelf, path } = openTestBus({ now: () => 0 })
    const last = plantedId(5)
    plant(path, `${foreignEntry(last, 'five')}${foreignEntry(plantedId(4), 'four')}${foreignEntry('x-1', 'odd')}`)
    expect((await post(shelf, 'mine')).msg_id > last).toBe(true)
    appendFileSync(path, `${foreignEntry(plantedId(9), 'nine')}`)
    expect((await post(shelf, 'mine')).msg_id > plantedId(9)).toBe(true)
  })

  it('rise above those that were removed in the same moment', async () => {
    const { shelf, path } = openTestBus({ now: () => 0 })
    await post(shelf, 'one')
    const { msg_id: lost } = await post(shelf, 'two')
    rmSync(path)
    const { msg_id } = await post(shelf, 'three')
    expect(msg_id > lost).toBe(true)
    expect((await shelf.readOn(TASK, { ...ALL, after: lost })).items).toMatchObject([{ msg_id }])
  })
})

describe('what another left at the end', () => {
  it.each([
    ['a torn header', '---\nmsg_id: MSG-1\nts: 20'],
    ['a torn body', plantedEntry(1, 'a long body').toString().slice(0, -5)],
  ])('is closed and told where it is %s', async (_, torn) => {
    const { shelf, path } = openTestBus()
    const before = plantedEntry(0).toString()
    plant(path, before + torn)
    const { repaired } = await post(shelf, 'new')
    expect(repaired).toMatchObject({ file: 'TASK-MESSAGE-BUS.md', offset: before.length, bytes: torn.length })
    expect(textOf(path).startsWith(before + torn)).toBe(true)
    expect((await post(shelf, 'newer')).repaired).toBeUndefined()
    const { items, faults } = await shelf.read(TASK, ALL)
    expect(items.map(({ body }) => body)).toEqual(['entry 0', 'new', 'newer'])
    expect(faults).toEqual([expect.objectContaining({ offset: before.length })])
  })

  it('gets a line break where it has none', async () => {
    const { shelf, path } = openTestBus()
    plant(path, foreignEntry('x-1', 'no break').trimEnd())
    expect((await post(shelf, 'new')).repaired).toBeUndefined()
    expect(await bodiesOf(shelf)).toEqual(['no break', 'new'])
  })

  it('is not looked at where nobody else has written', async () => {
    const { shelf, path } = openTestBus()
    await post(shelf, 'one')
    const reads = countReads()
    await post(shelf, 'two')
    expect(reads.bytes).toBe(0)
    appendFileSync(path, '---\nmsg_id: x')
    expect((await post(shelf, 'three')).repaired).toMatchObject({ reason: expect.stringContaining('cut off') })
    expect(await bodiesOf(shelf)).toEqual(['one', 'two', 'three'])
  })
})

describe('what an editor has saved in place, no longer and no shorter than before,', () => {
  it('hides nothing that is written after it', async () => {
    const { shelf, path } = openTestBus()
    await post(shelf, 'one and more')
    writeFileSync(path, textOf(path).replace('FACT', 'DECISION').slice(0, -4))
    const later = Date.now() / 1000 + 60
    fs.utimesSync(path, later, later)
    await post(shelf, 'two')
    expect((await bodiesOf(shelf)).at(-1)).toBe('two')
  })
})

describe('a bus that is moved away, removed or replaced', () => {
  it.each([
    'moved',
    'removed',
    'replaced',
    'gone with its folder',
  ])('is written to where it is now: %s', async (how) => {
    const { shelf, path } = openTestBus()
    await post(shelf, 'one')
    if (how === 'moved') renameSync(path, `${path}.bak`)
    else if (how === 'removed') rmSync(path)
    else if (how === 'gone with its folder') rmSync(dirname(path), { recursive: true })
    else {
      writeFileSync(`${path}.new`, plantedEntry(7))
      renameSync(`${path}.new`, path)
    }
    await post(shelf, 'two')
    expect(await bodiesOf(shelf)).toEqual(how === 'replaced' ? ['entry 7', 'two'] : ['two'])
  })

  it('is written to although it is replaced many times before the lock is ours', async () => {
    const { shelf, path } = openTestBus()
    await post(shelf, 'one')
    rmSync(path)
    let left = 20
    const { lstatSync } = fs
    replaceForTest({
      lstatSync: ((...asked: Parameters<typeof lstatSync>) => {
        if (asked[0] === path && left-- > 0) {
          writeFileSync(`${path}.new`, plantedEntry(left))
          renameSync(`${path}.new`, path)
        }
        return lstatSync(...asked)
      }) as typeof lstatSync,
    })
    await post(shelf, 'two')
    expect(left).toBeLessThanOrEqual(0)
    expect(await bodiesOf(shelf)).toEqual(['entry 0', 'two'])
  })

  it('is given up as busy after the time that a lock may take', async () => {
    const { shelf, path } = openTestBus({ lockTimeoutMs: 30 })
    await post(shelf, 'one')
    rmSync(path)
    const { lstatSync } = fs
    replaceForTest({
      lstatSync: ((...asked: Parameters<typeof lstatSync>) => {
        if (asked[0] === path && existsSync(path)) unlinkSync(path)
        return lstatSync(...asked)
      }) as typeof lstatSync,
    })
    await expect(post(shelf, 'two')).rejects.toMatchObject({ code: 'BUS_BUSY' })
  })
})

describe('rotation', () => {
  it('sets the file aside once it is large enough, and goes on with rising ids', async () => {
    const now = Date.UTC(2026, 1, 5)
    const { shelf, path, root } = openTestBus({ rotateBytes: 1_250, now: () => now })
    const ids: string[] = []
    for (let at = 0; at < 10; at++) ids.push((await post(shelf, `${at} ${'x'.repeat(200)}`)).msg_id)
    expect(readdirSync(dirname(path)).sort()).toEqual([
      'TASK-MESSAGE-BUS.0001.md',
      'TASK-MESSAGE-BUS.0002.md',
      'TASK-MESSAGE-BUS.0003.md',
      'TASK-MESSAGE-BUS.md',
    ])
    expect(ids.toSorted()).toEqual(ids)
    const { items } = await openTestBus({ root }).shelf.read(TASK, ALL)
    expect(items.map(({ msg_id }) => msg_id)).toEqual(ids)
  })

  it('keeps the mode of the file', async () => {
    const { shelf, path } = openTestBus({ rotateBytes: 10 })
    await post(shelf, 'one')
    chmodSync(path, 0o664)
    await post(shelf, 'two')
    expect(statSync(path).mode & 0o777).toBe(0o664)
  })

  it('is left out where it cannot be done, and the entry is written', async () => {
    const { shelf, path } = openTestBus({ rotateBytes: 10 })
    await post(shelf, 'one')
    replaceForTest({
      renameSync: () => {
        throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
      },
    })
    await post(shelf, 'two')
    expect(readdirSync(dirname(path))).toEqual(['TASK-MESSAGE-BUS.md'])
    expect(await bodiesOf(shelf)).toEqual(['one', 'two'])
  })
})

describe('writing is refused', () => {
  it('where somebody holds the lock for too long, and nothing is written', async () => {
    const { shelf, path } = openTestBus({ lockTimeoutMs: 30 })
    plant(path, plantedEntry(0))
    const holder = spawn('flock', ['-o', path, 'sh', '-c', 'echo held; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void holder.kill('SIGKILL'))
    await once(holder.stdout, 'data')
    const ended = await Promise.allSettled([post(shelf, 'one'), post(shelf, 'two')])
    for (const each of ended)
      expect(each).toMatchObject({ status: 'rejected', reason: { code: 'BUS_BUSY', details: { path, seconds: 0.03 } } })
    expect(textOf(path)).toBe(plantedEntry(0).toString())
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    await post(openTestBus({ root: dirname(dirname(dirname(path))) }).shelf, 'three')
    expect(await bodiesOf(shelf)).toEqual(['entry 0', 'three'])
  })

  it.each(['the file', 'the folder of the task', 'the folder of the project'])('where %s is a link', async (what) => {
    const { shelf, path } = openTestBus()
    const link = what === 'the file' ? path : what.endsWith('task') ? dirname(path) : dirname(dirname(path))
    const elsewhere = join(temporaryFolder(), 'elsewhere')
    mkdirSync(dirname(link), { recursive: true })
    if (what === 'the file') writeFileSync(elsewhere, '')
    else mkdirSync(elsewhere)
    symlinkSync(elsewhere, link)
    await expect(post(shelf, 'one')).rejects.toMatchObject({ code: 'BUS_UNUSABLE' })
    await expect(shelf.read(TASK, ALL)).rejects.toMatchObject({ code: 'BUS_UNUSABLE' })
    if (what === 'the file') expect(textOf(elsewhere)).toBe('')
    else expect(readdirSync(elsewhere)).toEqual([])
  })

  it.each(['a folder', 'a pipe'])('where the file is %s', async (what) => {
    const { shelf, path } = openTestBus()
    mkdirSync(what === 'a folder' ? path : dirname(path), { recursive: true })
    if (what === 'a pipe') await once(spawn('mkfifo', [path]), 'close')
    await expect(post(shelf, 'one')).rejects.toMatchObject({ code: 'BUS_UNUSABLE' })
    await expect(shelf.read(TASK, ALL)).rejects.toMatchObject({ code: 'BUS_UNUSABLE' })
  })

  it.each([
    'short',
    'ENOSPC',
    'no sync',
  ])('where the disk does not take it (%s), and nothing of it stays', async (fault) => {
    const { shelf, path } = openTestBus()
    await post(shelf, 'one')
    const before = textOf(path)
    const { writeSync, fdatasync, fdatasyncSync } = fs
    let isFailing = true
    replaceForTest({
      writeSync: ((fd: number, bytes: Buffer) => {
        if (!isFailing || fault === 'no sync') return writeSync(fd, bytes)
        if (fault === 'ENOSPC') throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        return writeSync(fd, bytes.subarray(0, 50))
      }) as never,
      fdatasyncSync: (fd) => {
        if (isFailing && fault === 'no sync') throw Object.assign(new Error('bad'), { code: 'EIO' })
        fdatasyncSync(fd)
      },
      fdatasync: ((fd: number, done: (error: Error | null) => void) => {
        if (isFailing && fault === 'no sync') done(Object.assign(new Error('bad'), { code: 'EIO' }))
        else fdatasync(fd, done)
      }) as never,
    })
    await expect(post(shelf, 'two')).rejects.toMatchObject({ code: 'BUS_UNUSABLE' })
    expect(textOf(path)).toBe(before)
    isFailing = false
    expect((await post(shelf, 'three')).repaired).toBeUndefined()
    expect(await bodiesOf(shelf)).toEqual(['one', 'three'])
  })
})

/** So many that the disk is known to be quick, and the process stands still for it. */
const ENOUGH_TO_TRUST = 50

it('looks at a file anew where it was replaced by one of the same length, though what came first was refused', async () => {
  const { shelf, path } = openTestBus()
  for (let i = 0; i < ENOUGH_TO_TRUST; i++) await post(shelf, 'one')
  const { size } = statSync(path)
  const [before, torn] = [plantedEntry(0, 'before'), plantedEntry(1, 'torn'.repeat(size / 4)).toString('latin1')]
  rmSync(path)
  plant(path, `${before}${torn}`.slice(0, size))
  utimesSync(path, 1, 1)
  const wrong = { ...draftOf('wrong'), meta: { long: 'x'.repeat(20_000) } }
  await expect(shelf.append(TASK, wrong)).rejects.toMatchObject({ code: 'BUS_ENTRY_INVALID' })
  expect((await post(shelf, 'after')).repaired).toBeDefined()
  expect(await bodiesOf(shelf)).toEqual(['before', 'after'])
})

it('keeps its file open for a while, and opens it again when it is asked to', FULL, async () => {
  const { shelf, path, root } = openTestBus()
  await post(shelf, 'one')
  expect(openFilesOf(path)).toHaveLength(1)
  await expect.poll(() => openFilesOf(path), PATIENTLY).toEqual([])
  await post(shelf, 'two')
  shelf.close()
  await expect.poll(() => openFilesOf(path)).toEqual([])
  expect(await bodiesOf(openTestBus({ root }).shelf)).toEqual(['one', 'two'])
})

function openFilesOf(path: string): string[] {
  const links = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
  return links.filter((link) => link === path)
}

it('keeps few files open, however many buses are written to', async () => {
  const { shelf, root } = openTestBus()
  const places = Array.from({ length: 200 }, (_, nth) => ({ project_id: `p${nth}` }))
  const { openSync, closeSync } = fs
  const open = new Set<number>()
  replaceForTest({
    openSync: (...words) => {
      const fd = openSync(...words)
      if (`${words[0]}`.startsWith(root)) open.add(fd)
      return fd
    },
    closeSync: (fd) => [open.delete(fd), closeSync(fd)][1] as undefined,
  })
  for (const place of places) await shelf.append(place, draftOf('one', place))
  expect(open.size).toBeGreaterThan(0)
  expect(open.size).toBeLessThanOrEqual(64)
  for (const place of places) expect(await shelf.lastId(place)).toBeDefined()
})
