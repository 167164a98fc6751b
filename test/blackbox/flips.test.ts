import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { inTurn } from '../faults/harness/in-turn.ts'
import { figures } from '../faults/harness/need.ts'
import { createChance, shuffle } from '../faults/wires/harness/chance.ts'
import type { Outcome } from '../helpers/command.ts'
import { fastFolder, removeFolder } from '../helpers/temp.ts'
import { campaign } from '../helpers/tier.ts'
import { applyFlip, describeFlip, flipsOf } from './harness/flips.ts'
import { makePlace, type Place, placeIn } from './harness/place.ts'

/**
 * One byte is changed in each page of a store, in each frame of its log, and in the files of a bus, a spool and a
 * handoff. No
 * changed text may be shown as good, and nothing that was acknowledged may be missing unless something says so.
 */
const FLIPS = { quick: 24, full: 200, long: 12_000, most: 400 }
const AT_ONCE = 2
const PAGE = 4_096
const FRAME = 24 + PAGE

it('finds changed text that is shown as good, and messages that are missing in silence', () => {
  const known = new Map([['a', 'pay 100']])
  const faultOf = (messages: Seen['messages'], isTold: boolean) =>
    faultIn({ known, waiting: known, seen: { messages, isTold } })
  expect(faultOf(known, false)).toBeUndefined()
  expect(faultOf(new Map([['a', 'pay 900']]), true)).toContain('pay 900')
  expect(faultOf(new Map(), true)).toBeUndefined()
  expect(faultOf(new Map(), false)).toContain('1 missing')
})

campaign(
  'a changed byte in a page of the store shows no changed text as good, and loses nothing in silence',
  FLIPS,
  (size) => flipStore(size, 'postern.db', PAGE),
)

campaign('a changed byte in the log of a killed server loses nothing in silence', FLIPS, (size) =>
  flipStore(size, 'postern.db-wal', FRAME),
)

/** Everything that a user can find out about a home. */
interface Seen {
  readonly messages: ReadonlyMap<string, string>
  /** True if a command failed, named a damaged message, or told of a loss. */
  readonly isTold: boolean
}

async function flipStore(size: number, name: string, partBytes: number): Promise<void> {
  const home = name.endsWith('-wal') ? await leaveKilled() : await leaveWhole()
  const known = await listAll(copyOf(home))
  const good = await look(copyOf(home))
  expect(good.isTold).toBe(false)
  expect(good.messages.size).toBeGreaterThan(10)
  const seed = Math.floor(Math.random() * 2 ** 32)
  const random = createChance(seed)
  const all = flipsOf(join(home, name), { partBytes, perPart: Math.ceil(size / 20), random })
  const flips = shuffle(all, random).slice(0, size)
  const outcomes = await inTurn(flips, AT_ONCE, async (flip) => {
    const copy = copyOf(home)
    applyFlip(join(copy, relative(home, flip.file)), flip)
    const fault = faultIn({ known, waiting: good.messages, seen: await look(copy) })
    removeFolder(copy)
    return fault === undefined ? [] : [`${fault}: ${describeFlip(flip)}`]
  })
  figures('flips', `${flips.length} of ${name}, seed ${seed}, ${outcomes.flat().length} faults`)
  expect(outcomes.flat()).toEqual([])
}

interface Case {
  /** Every message of the home before anything was changed, and those that waited. */
  readonly known: ReadonlyMap<string, string>
  readonly waiting: ReadonlyMap<string, string>
  readonly seen: Seen
}

/** A message that was seen before may be shown again where its confirmation is lost. */
function faultIn({ known, waiting, seen: { messages, isTold } }: Case): string | undefined {
  for (const [id, text] of messages) if (known.get(id) !== text) return `shown as good: ${text}`
  const missing = [...waiting.keys()].filter((id) => !messages.has(id))
  return missing.length > 0 && !isTold ? `${missing.length} missing in silence` : undefined
}

async function listAll(home: string): Promise<ReadonlyMap<string, string>> {
  const { items } = await placeIn(home).ask<{ items: Message[] }>(
    'inbox',
    'list',
    '--agent',
    'quinn',
    '--all',
    '--limit',
    '1000',
  )
  return new Map(items.map((message) => [message.id, textOf(message)]))
}

/** Takes everything that waits for quinn, and asks doctor. */
async function look(home: string): Promise<Seen> {
  const place = placeIn(home)
  const messages = new Map<string, string>()
  let isTold = false
  for (let round = 0; round < 5; round++) {
    const drained = await place.run(['inbox', 'drain', '--agent', 'quinn', '--limit', '1000', '--json'])
    isTold ||= drained.exit !== 0
    const shown = messagesIn(drained)
    for (const message of shown) {
      if (isNotice(message)) isTold = true
      else messages.set(message.id, textOf(message))
    }
    if (shown.length === 0) break
  }
  const doctor = await place.run(['doctor', '--full', '--json'])
  isTold ||= doctor.exit !== 0 || warns(doctor)
  return { messages, isTold }
}

interface Message {
  readonly id: string
  readonly from: { readonly id: string; readonly kind: string }
  readonly damaged?: true
}

function messagesIn({ exit, stdout }: Outcome): readonly Message[] {
  return exit === 0 ? JSON.parse(stdout).messages : []
}

/** A notice by Postern about a damaged message or a loss. */
function isNotice({ damaged, from }: Message): boolean {
  return damaged === true || from.kind === 'system'
}

/** Every field that a reader relies on. */
function textOf(message: object): string {
  const { id, type, from, subject, content, payload, priority, ref, replyTo } = message as Record<string, unknown>
  return JSON.stringify({ id, type, from, subject, content, payload, priority, ref, replyTo })
}

/** Whether doctor reports a failed check of the store. */
function warns({ stdout }: Outcome): boolean {
  const { checks } = JSON.parse(stdout) as {
    readonly checks: readonly { readonly name: string; readonly ok: boolean }[]
  }
  return checks.some(({ name, ok }) => !ok && name.startsWith('store.'))
}

/** A home whose last command has ended well: everything lies in the store itself. */
async function leaveWhole(): Promise<string> {
  const place = await makePlace()
  await write(place, (words) => place.ask(...words))
  for (const file of readdirSync(place.home)) expect(file).not.toBe('postern.db-wal')
  return place.home
}

/** A home whose server was killed: its last messages lie in the log alone. */
async function leaveKilled(): Promise<string> {
  const place = await makePlace()
  const server = await place.serve()
  await write(place, (words) => place.ask(...words))
  await server.stop('SIGKILL')
  expect(existsSync(join(place.home, 'postern.db-wal'))).toBe(true)
  return place.home
}

/** Messages short and long, seen and not, with gates, questions and plans, so that every kind of page is there. */
async function write({ ask }: Place, run: (words: readonly string[]) => Promise<unknown>): Promise<void> {
  for (let number = 0; number < 8; number++) await run(['inbox', 'push', '--to', 'quinn', `seen ${number}`])
  await ask('inbox', 'drain', '--agent', 'quinn')
  await run(['gate', 'create', '--agent', 'quinn', '--kind', 'human', '--reason', 'wait for justin'])
  await run(['decision', 'create', '--agent', 'quinn', '--ask', 'justin', 'May I?'])
  for (let number = 0; number < 12; number++) {
    const text = `pay 100 to Ann, number ${number}. `.repeat(number % 4 === 3 ? 400 : 3)
    await run(['inbox', 'push', '--to', 'quinn,robin', '--subject', `number ${number}`, text])
  }
}

function copyOf(home: string): string {
  const copy = join(fastFolder(), 'home')
  cpSync(home, copy, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.sock') })
  return copy
}
