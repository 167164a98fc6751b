import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PushMessage } from '../../src/model/postern.ts'
import { ATTACKS, findBreaches, findTextBreaches } from '../helpers/attacks.ts'
import { type Outcome, postern } from '../helpers/command.ts'
import { needsPrograms } from '../helpers/needs.ts'
import { openLocal } from '../helpers/open-local.ts'
import { posternOnTerminal } from '../helpers/pseudo-terminal.ts'
import { makeTemporaryFolder, removeFolder } from '../helpers/temp.ts'
import { FULL } from '../helpers/tier.ts'
import { warmPostern } from '../helpers/warm-command.ts'
import { verifies } from './verifies.ts'

const STORABLE = ATTACKS.filter(({ text }) => text.isWellFormed() && !text.includes('\0') && text.trim() !== '')

/** Every way to show messages drains an inbox of its own, so that each meets every attack. */
const READERS = ['quinn', 'liner', 'parser', 'watcher']
const EVERYTHING = ['--limit', '1000', '--max-chars', '90000000']
const AT_ONCE = 8
const COLUMNS = 80

/** An attack in every field that a sender fills freely. */
function attackEverywhere(text: string): PushMessage {
  const line = text.slice(0, 200)
  return {
    to: READERS,
    content: text,
    subject: line,
    ref: line,
    payload: { [line]: text.slice(0, 4_000) },
    context: { note: text.slice(0, 4_000) },
    attachments: [{ name: line, path: line, url: line, sha256: 'a'.repeat(64), bytes: 1 }],
  }
}

const home = makeTemporaryFolder()
const options = { home }
let ids: readonly string[] = []

beforeAll(async () => {
  const store = await openLocal(join(home, 'postern.db'), { upkeep: false })
  for (const id of READERS) await store.agents.add({ id })
  const pushed = await store.inbox.pushMany({ messages: STORABLE.map(({ text }) => attackEverywhere(text)) })
  ids = pushed.map(({ id }) => id)
  await store.close()
})
afterAll(() => removeFolder(home))

function expectHarmless({ exit, stdout, stderr }: Outcome): void {
  expect(exit, stderr).toBe(0)
  expect(stdout.length).toBeGreaterThan(0)
  expect(findTextBreaches(stdout)).toEqual([])
}

describe('hostile messages at the command line', () => {
  it('are many', () => {
    expect(STORABLE.length).toBeGreaterThanOrEqual(300)
    expect(ids).toHaveLength(STORABLE.length)
  })

  it('send nothing raw to a terminal by lists, search and trace', async () => {
    verifies('G14.terminal')
    const asked = [
      ['inbox', 'list', '--agent', 'quinn', '--limit', '1000'],
      ['inbox', 'list', '--all', '--limit', '1000'],
      ['inbox', 'search', 'system*', '--limit', '1000'],
      ['trace', ids[0] ?? ''],
    ]
    for (const outcome of await Promise.all(asked.map((args) => postern(options, ...args)))) expectHarmless(outcome)
  })

  it('break nothing where they are shown one by one', async () => {
    verifies('G14.fence', 'G14.terminal')
    const shown = ids.filter((_, at) => at % 10 === 0)
    for (let at = 0; at < shown.length; at += AT_ONCE) {
      const some = shown.slice(at, at + AT_ONCE)
      for (const outcome of await Promise.all(some.map((id) => warmPostern(options, 'inbox', 'show', id)))) {
        expectHarmless(outcome)
      }
    }
  })

  it('break no fence of a drain', async () => {
    verifies('G14.fence', 'G14.terminal')
    const { exit, stdout } = await warmPostern(options, 'inbox', 'drain', '--agent', 'quinn', ...EVERYTHING)
    expect(exit).toBe(0)
    const nonce = stdout.match(/fence ([a-z0-9]{12})/)?.[1] ?? ''
    expect(findBreaches(stdout.replace(/\n$/, ''), nonce)).toEqual([])
    expect(stdout).toContain(`${STORABLE.length} messages`)
  })

  it('make one line each of a drain in lines', async () => {
    verifies('G14.fence', 'G14.terminal')
    const args = ['inbox', 'drain', '--agent', 'liner', '--style', 'lines', '--limit', '1000']
    const outcome = await warmPostern(options, ...args)
    expectHarmless(outcome)
    const [head, ...lines] = outcome.stdout.trimEnd().split('\n')
    expect(head).toMatch(new RegExp(`^INBOX \\(${STORABLE.length} events, \\S+\\):$`))
    expect(lines).toHaveLength(STORABLE.length)
    // Words are in quotes, with nothing around them but the signs, numbers and names of JSON.
    const quoted = /^\[agent\] local \(unverified\): (?:"(?:[^"\\]|\\.)*"|[{}[\]:,. \d-]|true|false|null)+$/
    for (const line of lines) expect(line).toMatch(quoted)
  })

  it('are data in JSON: whole, and with nothing in it that a terminal obeys or hides', async () => {
    verifies('G14.terminal')
    const asked = [
      ['inbox', 'list', '--agent', 'parser', '--limit', '1000', '--json'],
      ['inbox', 'show', ids[0] ?? '', '--json'],
      ['inbox', 'drain', '--agent', 'parser', '--limit', '1000', '--json'],
    ]
    const answers: string[] = []
    for (const args of asked) {
      const { exit, stdout } = await warmPostern(options, ...args)
      expect(exit).toBe(0)
      expect(stdout.match(/[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}]--[\n]]/v), args.join(' ')).toBe(null)
      answers.push(stdout)
    }
    const contents = STORABLE.map(({ text }) => text)
    const [listed, , drained] = answers.map((answer) => JSON.parse(answer))
    const contentOf = ({ content }: { content: string }) => content
    expect(listed.items.map(contentOf).sort()).toEqual([...contents].sort())
    expect(drained.messages.map(contentOf)).toEqual(contents)
  })

  it('are data in the JSON of an error too', async () => {
    verifies('G14.terminal')
    const { stdout, stderr } = await warmPostern(options, 'trace', 'msg_\x1b[2J\u202e\u200b', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: expect.any(String) } })
    for (const text of [stdout, stderr]) expect(text).not.toMatch(/[[\p{Cc}\p{Cf}]--[\n]]/v)
  })
})

describe('hostile messages on a terminal', needsPrograms('script'), () => {
  it('begin no row that is not marked as quoted, however long their lines are', FULL, async () => {
    verifies('G14.fence', 'G14.terminal')
    const { exit, rows } = await posternOnTerminal(
      options,
      COLUMNS,
      'inbox',
      'drain',
      '--agent',
      'watcher',
      ...EVERYTHING,
    )
    expect(exit).toBe(0)
    expect(STORABLE.some(({ text }) => columnsOf(text) > COLUMNS)).toBe(true)
    expect(rows[0]).toMatch(/^┌── postern inbox · watcher · \d+ messages · fence /)
    expect(rows.at(-1)).toMatch(/^└── end of postern inbox · fence /)
    expect(rows.slice(1, -1).filter((row) => !/^(?:├─ |├ {2}|│ |│$)/.test(row))).toEqual([])
    expect(rows.filter((row) => columnsOf(row) > COLUMNS)).toEqual([])
    expect(rows.filter((row) => /^├─ \d+\/\d+ · from /.test(row))).toHaveLength(STORABLE.length)
    expect(findTextBreaches(rows.join('\n'))).toEqual([])
  })
})

/** How far a row reaches at most; with no code of the renderer. */
function columnsOf(row: string): number {
  let columns = 0
  for (const character of row) {
    if (character === '\t') columns += 8 - (columns % 8)
    else if (
      /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]/.test(character)
    )
      columns += 2
    else if (!/\p{M}/u.test(character)) columns += 1
  }
  return columns
}
