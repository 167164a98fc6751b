import { expect, it } from 'vitest'
import { sampleMessage } from '../../../test/helpers/attacks.ts'
import { frameSize } from '../../render/fence.ts'
import { mayFit, measure } from '../../render/measure.ts'
import type { Context } from '../context.ts'
import { type Choice, chooseInSlices } from './budget.ts'

const NOTHING = { characters: 0, tokens: 0 }
const ROOM = { maxMessages: 20, maxCharacters: 8_000, maxTokens: Number.POSITIVE_INFINITY }
const HEADLINE = { characters: 100, tokens: 10 }
const TIMERS: Context['timers'] = {
  after(_, call) {
    call()
    return () => {}
  },
}
const RENDERED = { frame: frameSize, measure, mayFit, timers: TIMERS }
/** Each is shown as more characters than it has. */
const EXPANDING = '\u0001'.repeat(3_000)
const TOO_LONG = 'x'.repeat(9_000)

/** Messages in the order in which they are due; their ids are their numbers. */
function messagesOf(...contents: readonly string[]) {
  return contents.map((content, seq) => sampleMessage({ id: String(seq), inboxSeq: seq, content }))
}

function formsOf(shown: readonly Choice[]): string[] {
  return shown.map(({ message, form }) => `${message.id} ${form}`)
}

it('measures few messages whole, however many critical ones expand beyond the room', async () => {
  const candidates = Array.from({ length: 200 }, (_, seq) =>
    sampleMessage({ id: `msg_${seq}`, inboxSeq: seq, priority: 0, content: EXPANDING }),
  )
  const whole: string[] = []
  const shown = await chooseInSlices(
    {
      timers: TIMERS,
      frame: () => NOTHING,
      mayFit: () => true,
      measure(message, form, room) {
        if (form === 'whole') whole.push(message.id)
        return form === 'headline' && room.characters >= HEADLINE.characters ? HEADLINE : undefined
      },
    },
    candidates,
    ROOM,
  )
  expect(whole.length).toBeLessThan(10)
  expect(shown).toHaveLength(ROOM.maxCharacters / HEADLINE.characters)
  expect(new Set(shown.map(({ form }) => form))).toEqual(new Set(['headline']))
})

it('shows short messages whole, however many before them are too long', async () => {
  const candidates = messagesOf(TOO_LONG, TOO_LONG, TOO_LONG, TOO_LONG, 'yes', 'z'.repeat(1_000))
  const forms = ['0 headline', '1 headline', '2 headline', '3 headline', '4 whole', '5 whole']
  expect(formsOf(await chooseInSlices(RENDERED, candidates, ROOM))).toEqual(forms)
})

it('shows short messages whole, however many before them expand beyond the room', async () => {
  const candidates = messagesOf(EXPANDING, EXPANDING, EXPANDING, EXPANDING, 'yes')
  const forms = (await chooseInSlices(RENDERED, candidates, ROOM)).map(({ message, form }) => [message.content, form])
  expect(forms[0]).toEqual([EXPANDING, 'headline'])
  expect(forms).not.toContainEqual(['yes', 'headline'])
})

it('shows the oldest message whole after critical ones that expand beyond the room', async () => {
  const critical = Array.from({ length: 10 }, (_, at) =>
    sampleMessage({ id: `c${at}`, inboxSeq: at + 1, priority: 0, content: EXPANDING }),
  )
  const shown = await chooseInSlices(
    RENDERED,
    [...critical, sampleMessage({ id: '0', inboxSeq: 0, content: 'yes' })],
    ROOM,
  )
  expect(formsOf(shown).at(-1)).toBe('0 whole')
})

it('lets a message wait that it does not measure any more', async () => {
  const critical = Array.from({ length: 5 }, (_, at) =>
    sampleMessage({ id: `c${at}`, inboxSeq: at, priority: 0, content: EXPANDING }),
  )
  const long = sampleMessage({ id: 'long', inboxSeq: 9, content: 'z'.repeat(1_000) })
  expect(formsOf(await chooseInSlices(RENDERED, [...critical, long], ROOM))).toEqual(
    critical.map(({ id }) => `${id} headline`),
  )
})

it('counts the words that a message quotes as its own', async () => {
  const from = { id: 'rex', kind: 'ai', verified: true, via: 'http' }
  const quotes = [{ what: 'reason', from, text: EXPANDING }]
  const candidates = Array.from({ length: 200 }, (_, seq) =>
    sampleMessage({ id: `msg_${seq}`, inboxSeq: seq, priority: 0, content: 'See below.', quotes }),
  )
  let whole = 0
  const counting: typeof RENDERED = {
    ...RENDERED,
    measure(message, form, room) {
      if (form === 'whole') whole++
      return measure(message, form, room)
    },
  }
  await chooseInSlices(counting, candidates, ROOM)
  expect(whole).toBeLessThan(10)
})
