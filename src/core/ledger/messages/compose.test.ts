import { describe, expect, it } from 'vitest'
import { messageTo } from '../../../../test/helpers/shelf-things.ts'
import { formatMessageData, parseMessageData } from '../../../model/ledger/message-data.ts'
import { contentOf, dataOf } from './compose.ts'

describe('the content of a message in the words of the seed', () => {
  it('is the subject where there is nothing more', () => {
    expect(contentOf('Done', null)).toBe('Done')
  })

  it('is what the payload says, wherever its words stand', () => {
    for (const payload of ['at last', { text: 'at last' }, { body: 'at last', n: 1 }, { message: 'at last' }]) {
      expect(contentOf('Done', payload)).toBe('at last')
    }
    expect(contentOf('Done', { message: 'last', body: ' ', text: 'first' })).toBe('first')
  })

  it('is the subject where the payload has no words: that is shown beside it', () => {
    for (const payload of [' ', 7, [1, 2], ['words'], { text: ' ', n: 1 }, { text: { nested: true } }]) {
      expect(contentOf('Done', payload)).toBe('Done')
    }
  })

  it('takes nothing for words that every object has by birth', () => {
    expect(contentOf('Done', JSON.parse('{"__proto__":{"text":"no"},"n":1}'))).toBe('Done')
  })
})

describe('what an entry says of a message', () => {
  it.each(['task:PROJ-12', 'agent:a:b', 'task:', 'PROJ-12', ':x', null])('is read as it was said, about %j', (ref) => {
    const data = dataOf({ ...messageTo(['quinn']), subject: 'Done', ref, payload: JSON.parse(NESTED) })
    expect(parseMessageData(formatMessageData(data))).toEqual({ mode: 'full', ...data, message_id: null })
    expect([data.ref_type, data.ref_id].filter((part) => part !== null).join(':') || null).toBe(ref)
  })
})

/** As deep as a payload may be. */
const NESTED = `${'['.repeat(32)}${']'.repeat(32)}`
