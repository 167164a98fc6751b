import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Context } from '../../src/core/context.ts'
import { HOOK_TIMEOUTS } from '../../src/hooks/timeouts.ts'
import { spoolPath } from '../../src/spool/path.ts'
import { EXPENSIVE, filled, pushExpensive } from '../helpers/drains/expensive-texts.ts'
import { openWatched, type WatchedPostern } from '../helpers/drains/watched-drains.ts'
import { openServer } from '../helpers/http-server.ts'
import { campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { storeOf, withStore } from './harness/home.ts'
import { createGate, fire, makePlace } from './harness/hook.ts'
import { hostileHandoff } from './harness/troubles.ts'

const CRITICAL_MESSAGES = 200
const CONTENT_CHARACTERS = 64 * 1024
/** Payload, context and attachments together, as JSON. */
const OTHER_FIELDS_BYTES = 64 * 1024
/** A plain message of at most this many characters is always measured. */
const SHORT_CHARACTERS = 500
/** The largest room of a hook and of a tool, in characters. */
const HOOK = { agent: 'quinn', maxCharacters: 8_000, sessionId: 's1' }
const TOOL = { agent: 'quinn', maxTokens: 20_000, sessionId: 's1' }
const BYTES_PER_TOKEN = 3.5
const LARGE = { agent: 'quinn', maxCharacters: 1_000_000_000 }
/** Four that do not fit, the oldest twice, and those that do. */
const ROOMS_MEASURED = 7
/** A slice ends with the message that fills it. */
const MOST_IN_TURN = 16_000 + CONTENT_CHARACTERS

const PATTERNS = Object.values(EXPENSIVE)
const CLASSES = [
  ['every expensive kind of text', PATTERNS, {}] as const,
  ...Object.entries(EXPENSIVE).map(([name, pattern]) => [name, [pattern], FULL] as const),
]

/** The rules that a drain has broken. */
function faultsOf({ measured }: WatchedPostern, room: number): string[] {
  return [
    ...(measured.while.has('writing') ? ['it measures inside a transaction'] : []),
    ...(measured.mostInTurn > MOST_IN_TURN ? [`it measures ${measured.mostInTurn} characters in one turn`] : []),
    ...(measured.characters > ROOMS_MEASURED * room ? [`it measures ${measured.characters} characters`] : []),
  ]
}

describe('drains of 200 critical messages of 64 KB', () => {
  for (const [name, patterns, options] of CLASSES) {
    it(`measure at most seven rooms of text, in slices, for ${name}`, options, async () => {
      const watched = await openWatched()
      const { postern, measured } = watched
      await pushExpensive(postern, patterns, CRITICAL_MESSAGES)
      for (const [drain, room] of [
        [HOOK, HOOK.maxCharacters],
        [TOOL, TOOL.maxTokens * BYTES_PER_TOKEN],
      ] as const) {
        measured.characters = 0
        const { offer } = await postern.inbox.drain(drain)
        expect(offer?.size).toBeGreaterThan(0)
        expect(faultsOf(watched, room)).toEqual([])
      }
    })
  }

  it('measure few messages with expensive attachments and data, and short ones twice', async () => {
    const watched = await openWatched()
    const { postern, measured } = watched
    const [name, value] = [filled('<a', 1_000), filled('<a', OTHER_FIELDS_BYTES / 4)]
    const attachments = Array.from({ length: 20 }, () => ({ name, url: name, sha256: 'a'.repeat(64), bytes: 1 }))
    const rich = { content: 'x', payload: { value }, attachments }
    const short = { content: filled('\u200b', 1_500) }
    for (const [message, most] of [
      [rich, ROOMS_MEASURED * (HOOK.maxCharacters + 2 * OTHER_FIELDS_BYTES)],
      [short, ROOMS_MEASURED * HOOK.maxCharacters + 2 * SHORT_CHARACTERS * CRITICAL_MESSAGES],
    ] as const) {
      const to = ['quinn']
      const messages = Array.from({ length: CRITICAL_MESSAGES }, () => ({ to, ...message, priority: 0 as const }))
      for (let at = 0; at < messages.length; at += 20)
        await postern.inbox.pushMany({ messages: messages.slice(at, at + 20) })
      measured.characters = 0
      const { offer } = await postern.inbox.drain(HOOK)
      expect(offer?.size).toBeGreaterThan(0)
      expect(measured.characters).toBeLessThan(most)
      expect(measured.while).not.toContain('writing')
      await postern.inbox.drain({ agent: 'quinn', maxMessages: 1_000 })
    }
  })

  const PLANTED: Readonly<Record<string, Partial<Context>>> = {
    'renders what cannot fit': { mayFit: () => true },
    'never pauses': {
      timers: {
        after(_, call) {
          call()
          return () => {}
        },
      },
    },
  }
  for (const [fault, change] of Object.entries(PLANTED)) {
    it(`are caught if one ${fault}`, async () => {
      const watched = await openWatched(change)
      await pushExpensive(watched.postern, ['x'], CRITICAL_MESSAGES)
      await watched.postern.inbox.drain('mayFit' in change ? HOOK : LARGE)
      expect(faultsOf(watched, HOOK.maxCharacters)).not.toEqual([])
    })
  }
})

/** Prints the seconds of processor time that the hook has used, so that a busy machine does not count. */
const TIMED = ['bash', '-c', 'TIMEFORMAT="cpu %U %S"; time "$@"', 'bash']

function processorMs(stderr: string): number {
  const [, user, system] = stderr.match(/^cpu ([\d.]+) ([\d.]+)$/m) ?? []
  return 1_000 * (Number(user) + Number(system))
}

for (const [name, patterns, options] of CLASSES) {
  it(`a stop is blocked in time beside 200 critical messages of 64 KB of ${name}`, options, async () => {
    verifies('G8.in-time')
    const place = await makePlace()
    await createGate(place)
    await withStore(place.home, (postern) => pushExpensive(postern, patterns, CRITICAL_MESSAGES))
    const fired = await fire(place, 'Stop', { wrap: TIMED, hasDeadline: true })
    expect(fired.block).toContain('wait for justin')
    expect(processorMs(fired.stderr)).toBeLessThan(HOOK_TIMEOUTS.answerMs)
  })
}

it('a gate blocks a stop in time beside 1,000 expensive handoff items', async () => {
  verifies('G8.in-time')
  const place = await hostileHandoff.enter(await makePlace())
  await createGate(place)
  const fired = await fire(place, 'stop', { host: 'cursor', wrap: TIMED, hasDeadline: true })
  expect(JSON.parse(fired.stdout)['followup_message']).toContain('wait for justin')
  expect(processorMs(fired.stderr)).toBeLessThan(HOOK_TIMEOUTS.answerMs)
})

it('a stop is blocked in time beside a spool of 20,000 critical entries while the store cannot be read', async () => {
  verifies('G8.in-time', 'G8.unavailable')
  const place = await makePlace()
  await createGate(place)
  await fire(place, 'UserPromptSubmit')
  writeFileSync(storeOf(place.home), 'no database '.repeat(999))
  const path = spoolPath(place.project, 'ses-1')
  mkdirSync(dirname(path), { recursive: true })
  const contents = PATTERNS.map((pattern) => filled(pattern, 500))
  const lines = Array.from({ length: 20_000 }, (_, at) => ({ content: contents[at % contents.length], priority: 0 }))
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const fired = await fire(place, 'Stop', { wrap: TIMED, hasDeadline: true })
  expect(fired.block).toContain('wait for justin')
  expect(processorMs(fired.stderr)).toBeLessThan(HOOK_TIMEOUTS.answerMs)
})

campaign(
  'a server answers others while it drains messages of 64 KB',
  { quick: 10, full: 200, long: 200 },
  async (count) => {
    verifies('G17.measured')
    const server = await openServer()
    const { postern } = server.served
    await postern.agents.add({ id: 'quinn' })
    await pushExpensive(postern, PATTERNS, count)
    const sender = await server.token('agent:quinn')
    let isDrained = false
    const drained = server.ask('POST /api/v1/inbox/drain', { body: LARGE }).finally(() => {
      isDrained = true
    })
    const answers: number[] = []
    while (!isDrained) {
      answers.push((await server.ask('GET /healthz', { token: null })).status)
      const push = { to: ['quinn'], content: `beside it ${answers.length}` }
      answers.push((await server.ask('POST /api/v1/inbox', { token: sender, body: push })).status)
    }
    expect((await drained).body.messages).toHaveLength(count)
    expect(new Set(answers)).toEqual(new Set([200, 201]))
    // One slice ends with each message.
    expect(answers.length).toBeGreaterThan(count / 4)
  },
)
