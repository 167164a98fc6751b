import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import type { BusPlace } from '../../../src/model/bus/entry.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { asQuinn, EVERYONE } from '../gates/people.ts'
import { conformance } from '../suite.ts'
import { foreign, PROJECT, PROJECT_FILE, say, scribble, TASK, TASK_FILE, textOf } from './buses.ts'

const OTHER_FILE = 'conductor-loop/task-other/TASK-MESSAGE-BUS.md'
const OTHER = { ...PROJECT, task_id: 'task-other' }

/** What each entry says of its writer's proof, with its body: no entry is hidden. */
async function proofs(postern: Postern, place: BusPlace = TASK) {
  return (await postern.bus.read(place)).items.map(({ body, meta }) => [body, meta?.['from_verified']])
}

function rewrite(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

conformance('the proof of who wrote an entry', ({ rule, open }) => {
  rule('is never what a file says of itself', async () => {
    verifies('S002.verified')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    const meta = '{ from: justin, from_verified: true }'
    scribble(busRoot, TASK_FILE, foreign('MSG-1', 'no mac', { meta }))
    scribble(busRoot, TASK_FILE, foreign('MSG-2', 'any mac', { postern_mac: '0'.repeat(64), meta }))
    scribble(busRoot, TASK_FILE, foreign('MSG-3', 'other word', { meta: '{ from: justin, from_verified: yes }' }))
    expect(await proofs(postern)).toEqual([
      ['no mac', false],
      ['any mac', false],
      ['other word', false],
    ])
  })

  rule('is a MAC that survives another process, a rotation and the check of the file', async () => {
    verifies('S002.verified')
    const { postern, busRoot, again } = await open({ agents: EVERYONE })
    await say(asQuinn(postern), 'proved\n---\nünd', { meta: { mood: 'good — ü' } })
    await say(postern.as({ id: 'quinn', kind: 'ai', verified: false, via: 'cli' }), 'claimed')
    expect(textOf(busRoot, TASK_FILE).match(/^postern_mac: [0-9a-f]{64}$/gm)).toHaveLength(1)
    const expected = [
      ['proved\n---\nünd', true],
      ['claimed', undefined],
    ]
    expect(await proofs(postern)).toEqual(expected)
    expect(await postern.bus.verify(TASK)).toMatchObject({ isSound: true, entries: 2 })
    await postern.bus.rotate(TASK)
    expect(await proofs(await again())).toEqual(expected)
  })

  rule('is not needed to find an edit: verify does, in the header and in the body', async () => {
    verifies('S002.verify')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    for (const writer of [asQuinn(postern), postern.as({ id: 'quinn', kind: 'ai', verified: false, via: 'cli' })])
      await say(writer, 'hello', { type: 'FACT', meta: { status: 'open' } })
    const text = textOf(busRoot, TASK_FILE)
    for (const [part, by] of [
      ['type: FACT', 'type: FUCT'],
      ['status: open', 'status: done'],
      ['postern_mac: ', 'postern_max: '],
      ['hello', 'hullo'],
    ] as const) {
      rewrite(busRoot, TASK_FILE, text.replace(part, by))
      expect(await postern.bus.verify(TASK)).toMatchObject({ isSound: false, entries: 1, faults: [{ offset: 0 }] })
    }
  })

  rule('ends with any edit', async () => {
    verifies('S002.verified')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    await say(asQuinn(postern), 'hello', { type: 'FACT' })
    const text = textOf(busRoot, TASK_FILE)
    const mac = /^postern_mac: .*\n/m.exec(text)?.[0] ?? expect.fail('there is no MAC')
    const body = 'sha256: 486ea46224d1bb4fb680f34f7c9ad96a8f24ec88be73ea8e5a6c65260e9cb8a7'
    const edits: Record<string, string> = {
      type: text.replace('type: FACT', 'type: USER'),
      writer: text.replace('from: quinn', 'from: justin'),
      time: text.replace(/^ts: \d{4}/m, 'ts: 2031'),
      id: text.replace(/^msg_id: (.*)$/m, 'msg_id: $1-1'),
      'added field': text.replace('type: FACT', 'type: FACT\nissue_id: ISSUE-1'),
      'moved MAC': text.replace(mac, '').replace('type: FACT\n', `type: FACT\n${mac}`),
      'other MAC': text.replace(mac, `postern_mac: ${'0'.repeat(64)}\n`),
      'no MAC': text.replace(mac, ''),
      body: text.replace(/^sha256: .*$/m, body).replace('hello', 'world'),
    }
    for (const [name, edited] of Object.entries(edits)) {
      expect(edited, name).not.toBe(text)
      rewrite(busRoot, TASK_FILE, edited)
      expect(await proofs(postern), name).toEqual([[name === 'body' ? 'world' : 'hello', false]])
    }
    rewrite(busRoot, TASK_FILE, text)
    expect(await proofs(postern)).toEqual([['hello', true]])
  })

  rule('does not follow an entry to another bus', async () => {
    verifies('S002.verified')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    await say(asQuinn(postern), 'hello')
    const text = textOf(busRoot, TASK_FILE)
    rewrite(busRoot, OTHER_FILE, text)
    rewrite(busRoot, PROJECT_FILE, text.replace('task-docs', 'task-other'))
    expect(await proofs(postern, OTHER)).toEqual([['hello', false]])
    expect(await proofs(postern, PROJECT)).toEqual([['hello', false]])
    expect(await proofs(postern)).toEqual([['hello', true]])
  })

  rule('needs the key of the home, and a post does not', async () => {
    verifies('S002.verified')
    const [home, other, broken] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    const { postern, busRoot, again } = await open({ agents: EVERYONE, home })
    await say(asQuinn(postern), 'hello')
    expect(await proofs(await again({ home }))).toEqual([['hello', true]])
    expect(await proofs(await again({ home: other }))).toEqual([['hello', false]])
    writeFileSync(join(broken, 'secret.key'), 'no key')
    const keyless = await again({ home: broken })
    await say(asQuinn(keyless), 'without a MAC')
    expect(await proofs(keyless)).toEqual([
      ['hello', false],
      ['without a MAC', false],
    ])
    expect(textOf(busRoot, TASK_FILE).match(/^postern_mac: /gm)).toHaveLength(1)
    expect(readFileSync(join(broken, 'secret.key'), 'utf8')).toBe('no key')
  })
})
