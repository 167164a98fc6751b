import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, truncateSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  ALL,
  foreignEntry,
  openTestBus,
  plant,
  plantEntries,
  plantedEntry,
  plantedId,
  post,
  TASK,
  textOf,
} from '../../../test/helpers/bus/bus-files.ts'
import { formatEntry } from '../codec/format.ts'

describe('to verify', () => {
  it('counts what is there, in all files', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 10)
    await shelf.rotate(TASK, {})
    await post(shelf, 'eleven')
    expect(await shelf.verify(TASK)).toEqual({
      ...TASK,
      isSound: true,
      entries: 11,
      bytes: Buffer.concat(Array.from({ length: 10 }, (_, nth) => plantedEntry(nth))).length + textOf(path).length,
      files: ['TASK-MESSAGE-BUS.0001.md', 'TASK-MESSAGE-BUS.md'],
      faults: [],
      isSorted: true,
    })
  })

  it('finds a byte that was changed, and an end that is missing', async () => {
    const { shelf, path } = openTestBus()
    const bad = plantedEntry(1).toString().replace('entry 1', 'entry X')
    plant(path, `${plantedEntry(0)}${bad}${plantedEntry(2)}${plantedEntry(3)}`)
    truncateSync(path, textOf(path).length - 4)
    const { isSound, entries, faults, isSorted } = await shelf.verify(TASK)
    expect({ isSound, entries, isSorted }).toEqual({ isSound: false, entries: 2, isSorted: true })
    expect(faults).toMatchObject([
      { file: 'TASK-MESSAGE-BUS.md', offset: plantedEntry(0).length, bytes: bad.length, msg_id: plantedId(1) },
      { msg_id: plantedId(3), reason: expect.stringContaining('cut off') },
    ])
  })

  it('finds a change in every line of a header, where readers take it as it stands', async () => {
    const { shelf, path } = openTestBus()
    const draft = { ...TASK, type: 'ISSUE', issue_id: 'I-1', meta: { status: 'open' }, body: Buffer.from('Said.') }
    const entry = formatEntry({ ...draft, msg_id: plantedId(1), ts: '2026-02-05T12:00:01Z' }).toString()
    const edits: [string | RegExp, string][] = [
      ['PID01234', 'PID01235'],
      ['12:00:01Z', '12:00:02Z'],
      [/(?<=header_sha256: )./, 'x'],
      ['header_sha256', 'hfader_sha256'],
      ['type: ISSUE', 'type: FACT'],
      ['project_id: atlas\n', ''],
      ['task-1', 'task-2'],
      ['I-1', 'I-2'],
      ['status: open', 'status: done'],
      ['meta:', 'own: 1\nmeta:'],
    ]
    for (const [part, by] of edits) {
      const edited = entry.replace(part, by)
      expect(edited).not.toBe(entry)
      plant(path, `${plantedEntry(0)}${edited}${plantedEntry(2)}`)
      const { isSound, faults } = await shelf.verify(TASK)
      expect({ by, isSound, faults }).toMatchObject({
        isSound: false,
        faults: [
          { offset: plantedEntry(0).length, bytes: edited.length, reason: 'its header is not what was written' },
        ],
      })
      expect((await shelf.read(TASK, ALL)).items.map(({ body }) => body)).toEqual(['entry 0', 'Said.', 'entry 2'])
    }
    plant(path, entry.replaceAll('\n', '\r\n'))
    expect(await shelf.verify(TASK)).toMatchObject({ isSound: true, entries: 1 })
    // Earlier versions and other programs write no such line.
    plant(path, entry.replace(/header_sha256: .*\n/, ''))
    expect(await shelf.verify(TASK)).toMatchObject({ isSound: true, entries: 1 })
  })

  it('takes nothing for damaged that somebody is writing', async () => {
    const { shelf, path } = openTestBus()
    plant(path, Buffer.concat([plantedEntry(0), plantedEntry(1).subarray(0, -6)]))
    const writer = spawn('flock', ['-o', path, 'sh', '-c', 'echo held; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void writer.kill('SIGKILL'))
    await once(writer.stdout, 'data')
    expect(await shelf.verify(TASK)).toMatchObject({ isSound: true, entries: 1, faults: [] })
    writer.kill('SIGKILL')
    await once(writer, 'exit')
    expect(await shelf.verify(TASK)).toMatchObject({ isSound: false, entries: 1 })
  })

  it('finds ids that stand there twice, near each other or far apart', async () => {
    const { shelf, path } = openTestBus()
    plantEntries(path, 2_000)
    const size = textOf(path).length
    appendFileSync(path, `${plantedEntry(1_999)}${plantedEntry(3)}${plantedEntry(2_000)}`)
    const { isSound, isSorted, faults } = await shelf.verify(TASK)
    expect({ isSound, isSorted }).toEqual({ isSound: false, isSorted: false })
    expect(faults).toMatchObject([
      { msg_id: plantedId(1_999), offset: size, reason: 'its id is that of an earlier entry' },
      { msg_id: plantedId(3), reason: 'its id is that of an earlier entry' },
    ])
  })

  it('takes ids that do not rise, and those of others, for sound', async () => {
    const { shelf, path } = openTestBus()
    plant(path, `${plantedEntry(5)}${plantedEntry(4)}${foreignEntry('b', 'b')}${foreignEntry('a', 'a')}`)
    expect(await shelf.verify(TASK)).toMatchObject({ isSound: true, entries: 4, isSorted: false })
    const tie = plantedId(5).replace('PID01234', 'PID01235')
    plant(path, `${plantedEntry(5)}${plantedEntry(5, 'other', tie)}${plantedEntry(6)}`)
    expect(await shelf.verify(TASK)).toMatchObject({ isSound: true, isSorted: true })
    plant(path, '[2026-02-05 12:00:00] FACT: one\n')
    await shelf.rotate(TASK, {})
    plant(path, '[2026-02-05 12:00:00] FACT: two\n')
    expect(await shelf.verify(TASK)).toMatchObject({ isSound: true, entries: 2, isSorted: false })
  })

  it('tells a thousand faults at most', async () => {
    const { shelf, path } = openTestBus()
    plant(path, `${plantedEntry(0)}stray\n`.repeat(1_500))
    const { faults, entries } = await shelf.verify(TASK)
    expect(entries).toBe(1_500)
    expect(faults).toHaveLength(1_000)
  })

  it('refuses where there is no bus', async () => {
    await expect(openTestBus().shelf.verify(TASK)).rejects.toMatchObject({ code: 'BUS_NOT_FOUND' })
    await expect(openTestBus().shelf.rotate(TASK, {})).rejects.toMatchObject({ code: 'BUS_NOT_FOUND' })
  })
})
