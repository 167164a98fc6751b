import { describe, expect, it } from 'vitest'
import { draftOf, idOf } from '../../../test/helpers/bus/drafts.ts'
import { formatEntry } from './format.ts'
import { scan } from './scan.ts'
import { MAX_ITEM_BYTES } from './scanned.ts'

const HEAD = '---\nmsg_id: MSG-1\nts: 2026-02-05T12:34:56Z\ntype: FACT\nproject_id: p\n'
const NEIGHBOUR = formatEntry(draftOf('Neighbour.', { msg_id: idOf(1) }))
const MEGABYTE = 1024 * 1024

function read(bytes: Buffer, isLast = true) {
  return scan({ bytes, offset: 0, isLast }, { project_id: 'p' })
}

/** Ids of entries, and reasons of faults. */
function outline(bytes: Buffer): string[] {
  return read(bytes).items.map((item) => (item.kind === 'entry' ? item.entry.msg_id : item.reason))
}

const bomb = Array.from({ length: 9 }, (_, at) => `a${at}: &a${at} [${`*a${at - 1},`.repeat(9)}]\n`).join('')
const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join('')

/** All that a header may hold, and a parser may choke on. */
const HEADERS: Readonly<Record<string, string>> = {
  'a bomb of aliases': bomb.replace(/\*a-1/g, 'x'),
  'a bomb of merged keys': `a: &a {x: 1}\nb: {<<: [${'*a, '.repeat(3_000)}*a]}\n`,
  'ten megabytes': lines((10 * MEGABYTE) / 16, (at) => `k${String(at).padStart(10, '0')}: x\n`),
  'one line of ten megabytes': `a: ${'x'.repeat(10 * MEGABYTE)}\n`,
  'one key of a megabyte': `${'x'.repeat(MEGABYTE)}: a\n`,
  'one megabyte of spaces': `a:${' '.repeat(MEGABYTE)}\n`,
  'flows that are nested 100,000 deep': `a: ${'['.repeat(100_000)}\n`,
  'flows that are nested 7,500 deep': `a: ${'['.repeat(7_500)}${']'.repeat(7_500)}\n`,
  'maps that are nested 4,000 deep': `a: ${'{a: '.repeat(4_000)}\n`,
  'lists that are nested 7,500 deep': `a:\n ${'- '.repeat(7_500)}x\n`,
  'keys that are nested 7,500 deep': `${'? '.repeat(7_500)}x\n`,
  'blocks that are nested 150 deep': lines(150, (at) => `${' '.repeat(at)}a:\n`),
  'three thousand keys in a flow': `a: {${lines(3_000, (at) => `k${at},`)}}\n`,
  'eight thousand quotes': `a: ${'"'.repeat(15_000)}\n`,
  'five thousand anchors': `a: ${'&a '.repeat(5_000)}\n`,
  'five thousand tags': `a: ${'!a '.repeat(5_000)}\n`,
  'fifteen thousand blank lines': `a:${'\n'.repeat(15_000)}b: &a c\n`,
  'one thousand errors': 'a: b: c\n'.repeat(1_000),
  'a text over five thousand lines': `a: "${'x\n '.repeat(5_000)}"\n`,
}

describe('a header that is meant to harm', () => {
  it.each(Object.entries(HEADERS))('such as %s is refused, and its neighbours are read', (_, header) => {
    const entry = Buffer.from(`${HEAD}${header}---\nSaid.\n`)
    const [first, refused, ...last] = outline(Buffer.concat([NEIGHBOUR, entry, NEIGHBOUR]))
    expect(first).toBe(idOf(1))
    expect(refused).toMatch(/^its header (?:is larger than|has|is not valid|is nested|merges)/)
    expect(last).toEqual([idOf(1)])
  })

  it('is no header without its end, however long it is', () => {
    const endless = Buffer.from(`${HEAD}${'a: b\n'.repeat(4 * MEGABYTE)}`)
    expect(outline(endless)).toEqual(['its header is larger than 16384 bytes'])
  })
})

describe('a file that is meant to harm', () => {
  it.each([
    ['rules', '---\n'.repeat(MEGABYTE / 8)],
    ['rules that begin nothing', '---\nmsg_id\n'.repeat(MEGABYTE / 16)],
    ['headers that are no YAML', '---\nmsg_id: [\n'.repeat(MEGABYTE / 32)],
    ['headers that are no map', '---\n- msg_id: x\nmsg_id: y\n'.repeat(MEGABYTE / 32)],
    ['headers that are none', `---\n{ "msg_id\n`.repeat(20_000)],
    ['brackets', '[\n'.repeat(MEGABYTE / 4)],
    ['line breaks', '\n'.repeat(4 * MEGABYTE)],
    ['one line', 'x'.repeat(4 * MEGABYTE)],
    ['spaces', ' '.repeat(4 * MEGABYTE)],
    ['conflicts', '<<<<<<< x\n'.repeat(MEGABYTE / 8)],
    ['zeros', '\0'.repeat(4 * MEGABYTE)],
  ])('such as many %s is read to its end', (_, text) => {
    const ids = outline(Buffer.concat([NEIGHBOUR, Buffer.from(text), Buffer.from('\n'), NEIGHBOUR]))
    expect(ids[0]).toBe(idOf(1))
    expect(ids.at(-1)).toBe(idOf(1))
  })

  it('yields something for every piece that is large enough', () => {
    const body = Buffer.concat([Buffer.from(`${HEAD}---\n`), Buffer.alloc(2 * MAX_ITEM_BYTES, 'a line of text\n')])
    for (const bytes of [body, Buffer.alloc(MAX_ITEM_BYTES, 'x'), Buffer.alloc(MAX_ITEM_BYTES, '---\nmsg_id\n')]) {
      const { items, next } = read(bytes.subarray(0, MAX_ITEM_BYTES), false)
      expect(items.length).toBeGreaterThan(0)
      expect(next).toBeGreaterThan(0)
    }
  })

  it('has no lengths that lead beyond the largest entry', () => {
    const entry = (bytes: number) => Buffer.from(`${HEAD}body_bytes: ${bytes}\nsha256: ${'0'.repeat(64)}\n---\nSaid.\n`)
    for (const bytes of [9 * MEGABYTE, Number.MAX_SAFE_INTEGER])
      expect(read(Buffer.concat([entry(bytes), NEIGHBOUR]), false).items).toHaveLength(2)
  })
})
