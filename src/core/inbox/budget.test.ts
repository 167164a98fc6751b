import { expect, it } from 'vitest'
import { sampleMessage } from '../../../test/helpers/attacks.ts'
import { chooseWithin } from './budget.ts'

const NOTHING = { characters: 0, tokens: 0 }
const ROOM = { maxMessages: 20, maxCharacters: 8_000, maxTokens: Number.POSITIVE_INFINITY }
const HEADLINE = { characters: 100, tokens: 10 }

it('measures few messages whole, however many critical ones expand beyond the room', () => {
  const candidates = Array.from({ length: 200 }, (_, seq) =>
    sampleMessage({ id: `msg_${seq}`, inboxSeq: seq, priority: 0 }),
  )
  const whole: string[] = []
  const shown = chooseWithin(
    {
      frame: () => NOTHING,
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
