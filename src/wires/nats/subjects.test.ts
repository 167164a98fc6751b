import { describe, expect, it } from 'vitest'
import { isAgentId } from '../../model/agent.ts'
import { copySubject, decodeToken, durablesOf, encodeToken, ringSubject, subjectsOf } from './subjects.ts'

const HOSTILE = [
  'a.b',
  'x>y',
  '*',
  '>',
  'a b',
  'tab\there',
  'line\nbreak',
  'nul\0',
  '',
  '@all',
  'Quinn',
  'QUINN',
  'ärger',
  '日本',
  '😀',
  '\ud83d',
  '\ude00',
  '=',
  '=2e',
  '=40all',
  'a/b',
  'a\\b',
  '..',
  '$JS',
  '_INBOX.x',
]
const LEGAL = ['quinn', 'q', '7', 'a_b-c', 'all', 'u00e4', '2e', `a${'-'.repeat(62)}z`]

/** The same numbers in every run. */
function* texts(count: number): Generator<string> {
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return Math.floor((seed / 2_147_483_647) * below)
  }
  const signs = 'ab7-_=u.>*@ 0e4\u00e4\ud83d\ude00'
  for (let i = 0; i < count; i++) yield Array.from({ length: next(6) }, () => signs[next(signs.length)]).join('')
}

describe('encodeToken', () => {
  it.each(LEGAL)('lets %j stand as it is', (id) => {
    expect(encodeToken(id)).toBe(id)
  })

  it.each(HOSTILE)('makes one harmless token of %j, which is that of no legal id', (text) => {
    const token = encodeToken(text)
    expect(token).toMatch(/^[a-z0-9_=-]+$/)
    expect(isAgentId(token)).toBe(false)
    expect(decodeToken(token)).toBe(text)
  })

  it('never makes the same token of two texts, whatever they are', () => {
    const byToken = new Map<string, string>()
    for (const text of [...HOSTILE, ...LEGAL, ...texts(50_000)]) {
      const token = encodeToken(text)
      const isGood = /^[a-z0-9_=-]+$/.test(token) && decodeToken(token) === text
      if (!isGood || (byToken.get(token) ?? text) !== text) throw new Error(`${JSON.stringify(text)} became ${token}`)
      byToken.set(token, text)
    }
    expect(byToken.size).toBeGreaterThan(10_000)
  })
})

describe('subjects', () => {
  it('have as many parts for a hostile name as for any other', () => {
    for (const text of HOSTILE) {
      expect(ringSubject(text).split('.')).toHaveLength(3)
      expect(copySubject(text).split('.')).toHaveLength(3)
    }
  })

  it('ring an agent by its copies, everybody by broadcasts, and those who follow events by all of them', () => {
    expect(subjectsOf('quinn')).toEqual(['postern.ring.quinn', 'inbox.targeted.quinn'])
    expect(subjectsOf('@all')).toEqual(['postern.ring.=40all', 'inbox.broadcast'])
    expect(subjectsOf('@events')).toEqual(['postern.ring.=40events'])
    expect(subjectsOf('@receipts')).toEqual(['postern.ring.=40receipts'])
  })

  it('give an agent two consumers, whose names are fit for files', () => {
    expect(durablesOf('quinn')).toEqual([
      { name: 'inbox-quinn', subject: 'inbox.targeted.quinn' },
      { name: 'broadcast-quinn', subject: 'inbox.broadcast' },
    ])
    expect(durablesOf('../x').map(({ name }) => name)).toEqual(['inbox-=2e=2e=2fx', 'broadcast-=2e=2e=2fx'])
    expect(() => durablesOf('é'.repeat(64))).toThrow(RangeError)
  })
})
