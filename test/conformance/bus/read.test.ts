import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { BusPage, ReadBus } from '../../../src/model/bus/bus.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance, refused } from '../suite.ts'
import { bodies, foreign, PROJECT, PROJECT_FILE, say, scribble, TASK, TASK_FILE, textOf } from './buses.ts'

/** Everything, page by page, as a client with a small memory reads it. */
async function readAll(postern: Postern, input: ReadBus): Promise<string[]> {
  const found: string[] = []
  let page: BusPage = await postern.bus.read(input)
  for (;;) {
    found.push(...bodies(page))
    if (!page.hasMore) return found
    page = await postern.bus.read({ ...input, after: page.cursor ?? '' })
  }
}

async function sayAll(postern: Postern, ...all: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const body of all) ids.push(await say(postern, body))
  return ids
}

conformance('reading a bus', ({ rule, open }) => {
  rule('goes on after an entry, in the order of the file', async () => {
    verifies('S002.read')
    const { postern, busRoot } = await open()
    const [first = '', , third = ''] = await sayAll(postern, 'a', 'b', 'c')
    // Another clock is behind; what it writes still comes after what was there.
    scribble(
      busRoot,
      TASK_FILE,
      foreign('MSG-20200101-000000-000000001-PID00001-0001', 'd', { ts: '2020-01-01T00:00:00Z' }),
    )
    expect(bodies(await postern.bus.read({ ...TASK, after: first }))).toEqual(['b', 'c', 'd'])
    expect(bodies(await postern.bus.read({ ...TASK, after: third }))).toEqual(['d'])
    expect(bodies(await postern.bus.read({ ...TASK, after: '' }))).toEqual(['a', 'b', 'c', 'd'])
    const end = await postern.bus.read({ ...TASK, after: 'MSG-20200101-000000-000000001-PID00001-0001' })
    expect(end).toMatchObject({ items: [], cursor: 'MSG-20200101-000000-000000001-PID00001-0001', hasMore: false })
    for (const after of ['MSG-20200101-000000-000000001-PID00001-0002', 'nothing', 'a\0b', 'x'.repeat(4_096)])
      await refused(postern.bus.read({ ...TASK, after }), 'BUS_ENTRY_NOT_FOUND')
  })

  rule('comes in pages that neither skip nor repeat', async () => {
    verifies('S002.read')
    const { postern } = await open()
    const all = ['a', 'b', 'c', 'd', 'e']
    await sayAll(postern, ...all)
    for (const limit of [1, 2, 3, 5, 6]) expect(await readAll(postern, { ...TASK, limit })).toEqual(all)
    const page = await postern.bus.read({ ...TASK, limit: 2 })
    expect(page).toMatchObject({ hasMore: true, hasGap: false, faults: [] })
    expect(page.cursor).toBe(page.items[1]?.msg_id)
    for (const limit of [0, -1, 1.5, 10_001]) await refused(postern.bus.read({ ...TASK, limit }), 'VALUE_INVALID')
  })

  rule('tells the last ones, or all', async () => {
    verifies('S002.read')
    const { postern } = await open()
    const ids = await sayAll(postern, 'a', 'b', 'c')
    expect(bodies(await postern.bus.read({ ...TASK, tail: 2 }))).toEqual(['b', 'c'])
    expect(await postern.bus.read({ ...TASK, tail: 1 })).toMatchObject({ cursor: ids[2], hasMore: false })
    for (const tail of [0, 3, 100]) expect(bodies(await postern.bus.read({ ...TASK, tail }))).toEqual(['a', 'b', 'c'])
    await refused(postern.bus.read({ ...TASK, tail: -1 }), 'VALUE_INVALID')
    await refused(postern.bus.read({ ...TASK, tail: 2, after: ids[0] ?? '' }), 'USAGE')
  })

  rule('tells only what is wanted, and goes on after what was not', async () => {
    verifies('S002.read')
    const { postern, busRoot } = await open()
    scribble(busRoot, TASK_FILE, foreign('OLD-1', 'begun', { type: 'RUN_START', run_id: 'run_1' }))
    const issue = await say(postern, 'issue', { type: 'ISSUE' })
    await say(postern, 'about', { type: 'FACT', issue_id: issue })
    const last = await say(postern, 'run', { type: 'INFO', run_id: 'run_1' })
    const read = async (more: Partial<ReadBus>) => bodies(await postern.bus.read({ ...TASK, ...more }))
    expect(await read({ types: ['start'] })).toEqual(['begun'])
    expect(await read({ types: ['RUN_START', 'ISSUE'] })).toEqual(['begun', 'issue'])
    expect(await read({ issue_id: issue })).toEqual(['issue', 'about'])
    expect(await read({ run_id: 'run_1' })).toEqual(['begun', 'run'])
    expect(await read({ run_id: 'run_1', tail: 1 })).toEqual(['run'])
    expect(await read({ types: ['FACT'], run_id: 'run_1' })).toEqual([])
    expect((await postern.bus.read({ ...TASK, types: ['START'] })).cursor).toBe(last)
    expect(await readAll(postern, { ...TASK, types: ['FACT', 'INFO'], limit: 1 })).toEqual(['about', 'run'])
    await refused(read({ types: ['no type'] }), 'BUS_TYPE_INVALID')
  })

  rule('finds the last of what is rare, wherever it stands', async () => {
    verifies('S002.read')
    const { postern, busRoot } = await open()
    const [first = ''] = await sayAll(postern, 'rare')
    const many = Array.from({ length: 1_500 }, (_, at) => foreign(`M-${at}`, 'x', { type: 'INFO' })).join('')
    scribble(busRoot, TASK_FILE, many)
    const page = await postern.bus.read({ ...TASK, types: ['USER'], tail: 2 })
    expect(page).toMatchObject({ items: [{ msg_id: first }], cursor: 'M-1499', hasMore: false })
  })

  rule('reads what other programs wrote, and tells what is none of it', async () => {
    verifies('S002.foreign')
    const { postern, busRoot } = await open()
    scribble(busRoot, TASK_FILE, '[2025-03-01 10:20:30] FACT: from before\n')
    scribble(busRoot, TASK_FILE, foreign('MSG-1', 'one\n\n---\n\ntwo', { parents: '[MSG-0]', colour: 'red' }))
    scribble(busRoot, TASK_FILE, '---\nmsg_id: MSG-2\nts: [\n---\nbroken\n')
    await say(postern, 'ours', { parents: ['LEGACY-LINE-1'] })
    const page = await postern.bus.read(TASK)
    expect(page.items).toMatchObject([
      { msg_id: 'LEGACY-LINE-000000001', ts: '2025-03-01T10:20:30Z', type: 'FACT', body: 'from before' },
      { msg_id: 'MSG-1', parents: [{ msg_id: 'MSG-0' }], extra: { colour: 'red' }, body: 'one\n\n---\n\ntwo' },
      { parents: [{ msg_id: 'LEGACY-LINE-1' }], body: 'ours' },
    ])
    expect(page.faults).toMatchObject([{ file: 'TASK-MESSAGE-BUS.md', reason: expect.any(String) }])
  })
})

conformance('two buses in one', ({ rule, open }) => {
  const merged = { ...TASK, merged: true }
  const at = (second: number) => ({ ts: `2026-01-15T09:00:${String(second).padStart(2, '0')}Z` })

  rule('come by time, in pages that neither skip nor repeat', async () => {
    verifies('S002.merged')
    const { postern, busRoot } = await open()
    for (const [second, file] of [PROJECT_FILE, TASK_FILE, TASK_FILE, PROJECT_FILE, PROJECT_FILE, TASK_FILE].entries())
      scribble(busRoot, file, foreign(`M-${second}`, `${second}`, at(second)))
    const all = ['0', '1', '2', '3', '4', '5']
    const page = await postern.bus.read(merged)
    expect(bodies(page)).toEqual(all)
    expect(page.cursor).toBe('M-4,M-5')
    expect(page.cursors).toEqual(['M-0,', 'M-0,M-1', 'M-0,M-2', 'M-3,M-2', 'M-4,M-2', 'M-4,M-5'])
    for (const limit of [1, 2, 4]) expect(await readAll(postern, { ...merged, limit })).toEqual(all)
    for (const [index, cursor] of (page.cursors ?? []).entries())
      expect(bodies(await postern.bus.read({ ...merged, after: cursor }))).toEqual(all.slice(index + 1))
    // The id of an entry of either does as well.
    expect(bodies(await postern.bus.read({ ...merged, after: 'M-3' }))).toEqual(['4', '5'])
    expect(bodies(await postern.bus.read({ ...merged, after: 'M-2' }))).toEqual(['3', '4', '5'])
    const tail = await postern.bus.read({ ...merged, tail: 3 })
    expect([bodies(tail), tail.cursor, tail.cursors]).toEqual([['3', '4', '5'], 'M-4,M-5', page.cursors?.slice(3)])
    await refused(postern.bus.read({ ...merged, after: 'M-9' }), 'BUS_ENTRY_NOT_FOUND')
    await refused(postern.bus.read({ ...merged, after: 'M-4,M-9' }), 'BUS_ENTRY_NOT_FOUND')
  })

  rule('never skip an entry that comes late', async () => {
    verifies('S002.merged')
    const { postern, busRoot } = await open()
    scribble(busRoot, TASK_FILE, foreign('T-1', 'task', at(30)))
    const before = await postern.bus.read(merged)
    expect(before.cursor).toBe(',T-1')
    scribble(busRoot, PROJECT_FILE, foreign('P-1', 'late', at(1)))
    expect(bodies(await postern.bus.read({ ...merged, after: before.cursor ?? '' }))).toEqual(['late'])
    expect(bodies(await postern.bus.read(merged))).toEqual(['late', 'task'])
  })

  rule('go on where they were, whatever other programs call their entries', async () => {
    verifies('S002.merged')
    const { postern, busRoot } = await open()
    for (const [second, id] of ['a,b', 'c', 'd,', 'e%2Cf', '%', ',g'].entries())
      scribble(busRoot, second % 2 ? PROJECT_FILE : TASK_FILE, foreign(`"${id}"`, `${second}`, at(second)))
    const all = ['0', '1', '2', '3', '4', '5']
    for (const limit of [1, 2, 4]) expect(await readAll(postern, { ...merged, limit })).toEqual(all)
  })

  rule('go on after the last ones where these are too large for a page', async () => {
    verifies('S002.merged')
    const { postern, busRoot } = await open()
    const large = 'x'.repeat(200_000)
    const write = (file: string, name: string, second: number) =>
      scribble(busRoot, file, foreign(`${name}-${second}`, `${name}${second}${large}`, at(second)))
    for (let second = 0; second < 30; second++) write(TASK_FILE, 't', second)
    for (let second = 30; second < 60; second++) write(PROJECT_FILE, 'p', second)
    let page = await postern.bus.read({ ...merged, tail: 28 })
    expect([page.hasMore, page.items[0]?.msg_id]).toEqual([true, 't-2'])
    const ids = page.items.map(({ msg_id }) => msg_id)
    for (let after = page.cursors?.at(-1); page.hasMore; after = page.cursor ?? '') {
      page = await postern.bus.read({ ...merged, after: after ?? '' })
      ids.push(...page.items.map(({ msg_id }) => msg_id))
    }
    const tail = (name: string, from: number) => Array.from({ length: 28 }, (_, at) => `${name}-${from + at}`)
    expect(ids).toEqual([...tail('t', 2), ...tail('p', 32)])
  })

  rule('are that of the project alone where no task is named, and need not both exist', async () => {
    verifies('S002.merged')
    const { postern } = await open()
    await refused(postern.bus.read(merged), 'BUS_NOT_FOUND')
    await postern.bus.post({ ...PROJECT, body: 'project' })
    expect(bodies(await postern.bus.read(merged))).toEqual(['project'])
    const { cursor, cursors } = await postern.bus.read({ ...PROJECT, merged: true })
    expect([cursor?.includes(','), cursors]).toEqual([false, undefined])
  })
})

conformance('waiting for entries', ({ rule, open }) => {
  rule('tells at once what is there, and else what comes, whoever writes it', async () => {
    verifies('S002.wait')
    const { postern, again, busRoot } = await open()
    const first = await say(postern, 'one')
    expect(bodies(await postern.bus.wait({ ...TASK, timeoutMs: 60_000 }))).toEqual(['one'])
    const other = await again()
    const waiting = postern.bus.wait({ ...TASK, after: first, timeoutMs: 60_000 })
    await say(other, 'two')
    const { cursor, ...page } = await waiting
    expect(bodies(page)).toEqual(['two'])
    const foreigner = postern.bus.wait({ ...TASK, after: cursor ?? '', timeoutMs: 60_000 })
    scribble(busRoot, TASK_FILE, foreign('MSG-3', 'three'))
    expect(bodies(await foreigner)).toEqual(['three'])
  })

  rule('waits for a bus that is not there yet, and for either of two', async () => {
    verifies('S002.wait')
    const { postern, again } = await open()
    const other = await again()
    const waiting = postern.bus.wait({ ...TASK, merged: true, timeoutMs: 60_000 })
    await other.bus.post({ ...PROJECT, body: 'project' })
    const { cursor, items } = await waiting
    expect(bodies({ items })).toEqual(['project'])
    const next = postern.bus.wait({ ...TASK, merged: true, after: cursor ?? '', timeoutMs: 60_000 })
    await say(other, 'task')
    expect(bodies(await next)).toEqual(['task'])
  })

  rule('passes over what is not wanted', async () => {
    verifies('S002.wait')
    const { postern, again } = await open()
    const other = await again()
    const waiting = postern.bus.wait({ ...TASK, types: ['ANSWER'], timeoutMs: 60_000 })
    await say(other, 'no')
    await say(other, 'yes', { type: 'ANSWER' })
    expect(bodies(await waiting)).toEqual(['yes'])
  })

  rule('ends with an empty page when the time is over, or its waiter leaves', async () => {
    verifies('S002.wait')
    const { postern } = await open()
    const first = await say(postern, 'one')
    const nothing = { items: [], cursor: first, hasMore: false, hasGap: false, faults: [] }
    expect(await postern.bus.wait({ ...TASK, after: first, timeoutMs: 0 })).toEqual(nothing)
    const leaving = new AbortController()
    const waiting = postern.bus.wait({ ...TASK, after: first, signal: leaving.signal })
    leaving.abort()
    expect(await waiting).toEqual(nothing)
    await refused(postern.bus.wait({ ...TASK, timeoutMs: -1 }), 'VALUE_INVALID')
  })

  rule('repeats nothing where an editor empties the file before it writes it anew', async () => {
    verifies('S002.wait')
    const { postern, busRoot } = await open()
    const [, second = ''] = await sayAll(postern, 'a', 'b')
    const text = textOf(busRoot, TASK_FILE)
    writeFileSync(join(busRoot, TASK_FILE), '')
    const waiting = postern.bus.wait({ ...TASK, after: second, timeoutMs: 60_000 })
    // By then it has looked.
    await postern.bus.list()
    writeFileSync(join(busRoot, TASK_FILE), text)
    await say(postern, 'c')
    const page = await waiting
    expect([bodies(page), page.hasGap]).toEqual([['c'], false])
  })

  rule('says where the entry of its cursor is gone', async () => {
    verifies('S002.wait')
    const { postern, busRoot } = await open()
    const [, second = '', third = ''] = await sayAll(postern, 'a', 'b', 'c')
    // Somebody has cleaned up in an editor.
    const text = textOf(busRoot, TASK_FILE)
    const kept =
      text.slice(0, text.indexOf(`---\nmsg_id: ${second}`)) + text.slice(text.indexOf(`---\nmsg_id: ${third}`))
    rmSync(join(busRoot, TASK_FILE))
    writeFileSync(join(busRoot, TASK_FILE), kept)
    const page = await postern.bus.wait({ ...TASK, after: second, timeoutMs: 60_000 })
    expect([bodies(page), page.hasGap]).toEqual([['c'], true])
  })
})
