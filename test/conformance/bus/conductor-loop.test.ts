import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { BusPage, ReadBus } from '../../../src/model/bus/bus.ts'
import type { BusEntry } from '../../../src/model/bus/entry.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { conformance } from '../suite.ts'

/** Bus files as people and the first versions of conductor-loop wrote them. */
const CORPUS = join(import.meta.dirname, '../../fixtures/conductor-loop')
const PROJECT = { project_id: 'conductor-loop' }
const LINES = { ...PROJECT, task_id: 'task-20260206-lines' }
const RUNNER = { ...PROJECT, task_id: 'task-20260207-runner' }
const RUNNER_FILE = join('conductor-loop', RUNNER.task_id, 'TASK-MESSAGE-BUS.md')

const line = (number: number) => `LEGACY-LINE-${String(number).padStart(9, '0')}`
const shortOf = ({ msg_id, type, body }: BusEntry) => [msg_id, type, body]

/** Every entry, read in pages of one size. */
async function readAll(postern: Postern, input: ReadBus): Promise<BusEntry[]> {
  const found: BusEntry[] = []
  let page: BusPage = await postern.bus.read(input)
  for (;;) {
    found.push(...page.items)
    if (!page.hasMore) return found
    page = await postern.bus.read({ ...input, after: page.cursor ?? '' })
  }
}

const PROJECT_ENTRIES = [
  [line(12), 'FACT', 'The runner needs Go 1.21 or newer'],
  [line(13), 'DECISION', 'Task folders are called task-<date>-<name>'],
  [line(14), 'ISSUE', 'The lock is never released after a crash'],
  [line(15), 'ISSUE', 'Streams stop after 30 s'],
  [line(20), 'REVIEW/CODEX', 'approved, with two remarks: naming, tests'],
  [line(21), 'INFO', 'looked at the lock again, no change'],
]
const LINES_ENTRIES = [
  [line(6), 'START', 'first run'],
  [line(7), 'PROGRESS', '1/3 packages'],
  [line(11), 'INFO', 'a record in a block of code is a record'],
  [line(27), 'ERROR', 'undefined: parseFlags'],
  [line(28), 'HTTPS', '//example.com/build/7 is red'],
  [line(29), 'STOP', 'STOP:'],
]

conformance('the bus files of conductor-loop', ({ rule, open }) => {
  async function openCorpus() {
    const { postern, busRoot } = await open()
    cpSync(CORPUS, busRoot, { recursive: true })
    return { postern, busRoot }
  }

  rule('read as their author means them, one-line records among all that people write', async () => {
    verifies('S002.foreign')
    const { postern } = await openCorpus()
    for (const [place, entries] of [
      [PROJECT, PROJECT_ENTRIES],
      [LINES, LINES_ENTRIES],
    ] as const)
      for (const limit of [1, 2, 1_000])
        expect((await readAll(postern, { ...place, limit })).map(shortOf)).toEqual(entries)
    const { items } = await postern.bus.read(PROJECT)
    expect(items[3]).toEqual({
      ...PROJECT,
      msg_id: line(15),
      ts: '2026-02-04T09:15:00Z',
      type: 'ISSUE',
      body: 'Streams stop after 30 s',
    })
    expect((await postern.bus.read({ ...LINES, tail: 2 })).items).toMatchObject([
      { ...LINES, msg_id: line(28), ts: '2026-02-06T08:00:07.250Z' },
      { ...LINES, msg_id: line(29) },
    ])
    expect(await readAll(postern, { ...PROJECT, types: ['review/codex'] })).toMatchObject([{ msg_id: line(20) }])
  })

  rule('read as their author means them, entries that name no project among them', async () => {
    verifies('S002.foreign')
    const { postern, busRoot } = await openCorpus()
    const { items, faults } = await postern.bus.read(RUNNER)
    expect(faults).toEqual([])
    expect(items.map(({ type, body }) => [type, body.split('\n', 1)[0]])).toEqual([
      ['FACT', 'written by hand, before the runner wrote headers'],
      ['START', 'run started'],
      ['ISSUE', '# The watcher leaks'],
      ['INFO', 'an entry that names no project'],
      ['CRASH', 'exit code 137'],
    ])
    expect(items[2]?.body).toContain('a line of the body, not a record')
    expect(items[3]).toMatchObject(RUNNER)
    // An editor of Windows has saved it.
    const path = join(busRoot, RUNNER_FILE)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'))
    const again = await postern.bus.read(RUNNER)
    expect(again.items.map(({ msg_id, type }) => [msg_id, type])).toEqual(
      items.map(({ msg_id, type }) => [msg_id, type]),
    )
  })

  rule('come in the merged view by time, in pages that neither skip nor repeat', async () => {
    verifies('S002.merged')
    const { postern } = await openCorpus()
    for (const limit of [1, 3, 1_000]) {
      const merged = await readAll(postern, { ...LINES, merged: true, limit })
      expect(merged.map(shortOf)).toEqual([...PROJECT_ENTRIES, ...LINES_ENTRIES])
    }
    const after = `${line(21)},${line(7)}`
    const rest = await postern.bus.read({ ...LINES, merged: true, after })
    expect(rest.items.map(shortOf)).toEqual(LINES_ENTRIES.slice(2))
    const short = await postern.bus.read({ ...LINES, merged: true, after: 'LEGACY-LINE-11' })
    expect(short.items.map(shortOf)).toEqual(LINES_ENTRIES.slice(3))
  })

  rule('take both forms of the number of a line as a cursor', async () => {
    verifies('S002.read')
    const { postern } = await openCorpus()
    for (const after of ['LEGACY-LINE-14', line(14)]) {
      const page = await postern.bus.read({ ...PROJECT, after })
      expect(page.items.map(shortOf)).toEqual(PROJECT_ENTRIES.slice(3))
      expect(page).toMatchObject({ hasGap: false })
    }
    const waited = await postern.bus.wait({ ...PROJECT, after: 'LEGACY-LINE-21', timeoutMs: 0 })
    expect(waited).toMatchObject({ items: [], cursor: line(21), hasGap: false })
  })

  rule('tell their issues, which later entries relate to and close', async () => {
    verifies('S002.foreign')
    const { postern } = await openCorpus()
    await postern.bus.post({
      ...PROJECT,
      type: 'ISSUE',
      issue_id: 'NEW',
      parents: [{ msg_id: 'LEGACY-LINE-14', kind: 'depends_on' }],
      body: 'x',
    })
    const statesOf = async () => {
      const { issues } = await postern.bus.issues(PROJECT)
      return issues.map(({ id, state, depends_on }) => [id, state, ...depends_on])
    }
    expect(await statesOf()).toEqual([
      [line(14), 'ready'],
      [line(15), 'ready'],
      ['NEW', 'blocked', line(14)],
    ])
    await postern.bus.post({ ...PROJECT, issue_id: line(14), meta: { status: 'done' }, body: 'released' })
    await postern.bus.post({ ...PROJECT, issue_id: 'LEGACY-LINE-15', meta: { status: 'done' }, body: 'streams' })
    expect(await statesOf()).toEqual([
      [line(14), 'closed'],
      [line(15), 'closed'],
      ['NEW', 'ready', line(14)],
    ])
    expect(await postern.bus.issues(RUNNER)).toMatchObject({
      issues: [{ title: '# The watcher leaks', relations: [{ kind: 'relates_to', id: line(1) }] }],
    })
  })

  rule('tell a gap after a record whose number two files of a bus hold', async () => {
    verifies('S002.wait')
    const { postern, busRoot } = await openCorpus()
    await postern.bus.rotate(PROJECT)
    writeFileSync(
      join(busRoot, 'conductor-loop/PROJECT-MESSAGE-BUS.md'),
      `${'\n'.repeat(13)}[2026-02-08 08:00:00] FACT: new\n`,
    )
    const page = await postern.bus.wait({ ...PROJECT, after: line(14), timeoutMs: 0 })
    expect(page).toMatchObject({ items: [], cursor: line(14), hasGap: true })
    expect(await postern.bus.wait({ ...PROJECT, after: line(14), timeoutMs: 0 })).toMatchObject({ hasGap: false })
    const rest = await postern.bus.read({ ...PROJECT, after: line(20) })
    expect(rest.items.map(({ body }) => body)).toEqual(['looked at the lock again, no change', 'new'])
    expect(rest.hasGap).toBe(false)
  })
})
