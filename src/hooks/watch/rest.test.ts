import { describe, expect, it } from 'vitest'
import { isToBeWoken, type LiveSession, type Sight } from './rest.ts'

const NOW = 1_700_000_000_000
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS

function session(about: Partial<LiveSession> = {}): LiveSession {
  const startedAt = NOW - 60 * MINUTE_MS
  return {
    id: 'one',
    agent: 'quinn',
    host: 'claude-code',
    project: null,
    machine: 'here',
    pid: 1,
    pidStartedAt: startedAt,
    starterPid: null,
    starterStartedAt: null,
    startedAt,
    lastEventAt: NOW - MINUTE_MS,
    endedAt: null,
    idleSince: NOW - MINUTE_MS,
    continuations: 0,
    continuedAt: null,
    stoppedAt: null,
    liveness: 'alive',
    ...about,
  }
}

function sight(own: LiveSession, about: Partial<Sight> = {}): Sight {
  return { now: NOW, own, sessions: [own], heardAt: own.lastEventAt, waitingSince: NOW, ...about }
}

describe('a session', () => {
  it('is woken when it rests', () => {
    expect(isToBeWoken(sight(session()))).toBe(true)
  })

  it('is not woken while it works', () => {
    expect(isToBeWoken(sight(session({ idleSince: null })))).toBe(false)
  })

  it('is not woken while a hook that had nothing to ask shows that it works', () => {
    expect(isToBeWoken(sight(session(), { heardAt: NOW - SECOND_MS }))).toBe(false)
  })

  it('is not woken in the moment in which it comes to rest, when a hook may still show what waits', () => {
    const own = session({ lastEventAt: NOW - 100, idleSince: NOW - 100 })
    expect(isToBeWoken(sight(own))).toBe(false)
    expect(isToBeWoken(sight(own, { now: NOW + 1_400 }))).toBe(true)
  })

  it('is not woken while its hook may still show the mail, however long it seems to have been idle', () => {
    const own = session({ lastEventAt: NOW - 100, idleSince: NOW - 10 * MINUTE_MS })
    const waiting = { waitingSince: NOW - MINUTE_MS }
    expect(isToBeWoken(sight(own, waiting))).toBe(false)
    expect(isToBeWoken(sight(own, { ...waiting, now: NOW + 1_400 }))).toBe(true)
  })

  it('is woken in the end where another clock says when it came to rest', () => {
    const own = session({ lastEventAt: NOW + MINUTE_MS, idleSince: NOW + MINUTE_MS })
    expect(isToBeWoken(sight(own, { waitingSince: NOW - 1_400 }))).toBe(false)
    expect(isToBeWoken(sight(own, { waitingSince: NOW - 1_500 }))).toBe(true)
  })

  it('is taken to rest when nothing was heard of it for long: nobody says that a turn was broken off', () => {
    const own = session({ idleSince: null, lastEventAt: NOW - 10 * MINUTE_MS })
    expect(isToBeWoken(sight(own))).toBe(true)
    expect(isToBeWoken(sight(own, { heardAt: NOW - 9 * MINUTE_MS }))).toBe(false)
  })
})

describe('of two sessions of one agent', () => {
  const earlier = session({ id: 'earlier', idleSince: NOW - 5 * MINUTE_MS, lastEventAt: NOW - 5 * MINUTE_MS })
  const later = session({ id: 'later' })
  const sessions = [earlier, later]
  const heardAt = later.lastEventAt

  it('the one that came to rest later is woken, and the other when the mail still waits after that', () => {
    expect(isToBeWoken(sight(later, { sessions, heardAt }))).toBe(true)
    expect(isToBeWoken(sight(earlier, { sessions, heardAt }))).toBe(false)
    expect(isToBeWoken(sight(earlier, { sessions, heardAt, waitingSince: NOW - 20 * SECOND_MS }))).toBe(true)
  })

  it('one that works, is gone or cannot be woken keeps nobody waiting', () => {
    for (const about of [{ idleSince: null }, { liveness: 'gone' }, { host: 'gemini' }, { host: 'wake' }] as const) {
      const other = { ...later, ...about }
      expect(isToBeWoken(sight(earlier, { sessions: [earlier, other], heardAt })), JSON.stringify(about)).toBe(true)
    }
  })

  it('exactly one is woken first where they came to rest in one moment', () => {
    const twin = { ...later, id: 'twin' }
    const both = [later, twin].map((own) => isToBeWoken(sight(own, { sessions: [later, twin], heardAt })))
    expect(both.filter(Boolean)).toHaveLength(1)
  })
})
