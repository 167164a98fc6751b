import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { findTarget, isAtRest, type LiveSession } from './target.ts'

const NOW = 1_800_000_000_000

function session(id: string, about: Partial<LiveSession> = {}): LiveSession {
  return {
    id,
    agent: 'quinn',
    host: 'claude-code',
    project: null,
    machine: 'here',
    pid: null,
    pidStartedAt: null,
    starterPid: null,
    starterStartedAt: null,
    startedAt: NOW,
    lastEventAt: NOW,
    endedAt: null,
    idleSince: null,
    continuations: 0,
    continuedAt: null,
    stoppedAt: null,
    liveness: 'unknown',
    ...about,
  }
}

describe('the target of a courier', () => {
  it('is the last active session of this machine, with live processes before dead ones', () => {
    const workingRoot = temporaryFolder()
    const params = { sessionId: undefined, root: undefined, workingRoot, machine: 'here' }
    const sessions = [
      session('early', { lastEventAt: NOW - 2 }),
      session('late', { lastEventAt: NOW - 1 }),
      session('gone', { liveness: 'gone' }),
      session('elsewhere', { machine: 'there' }),
      session('wrapped', { host: 'wake' }),
    ]
    expect(findTarget(sessions, params).session?.id).toBe('late')
    expect(findTarget(sessions.slice(2), params).session?.id).toBe('gone')
    expect(findTarget(sessions.slice(3), params)).toEqual({ session: undefined, spool: undefined })
  })

  it('may run in another container than the courier, on the same host', () => {
    const params = {
      sessionId: undefined,
      root: undefined,
      workingRoot: temporaryFolder(),
      machine: 'pod boot pid:[1]',
    }
    const beside = session('beside', { machine: 'pod boot pid:[2]', lastEventAt: NOW - 1 })
    const other = session('other', { machine: 'other boot pid:[1]' })
    expect(findTarget([other, beside], params).session?.id).toBe('beside')
  })

  it('is the named session, whether or not the store knows it', () => {
    const workingRoot = temporaryFolder()
    const params = { sessionId: 'mine', root: undefined, workingRoot, machine: 'here' }
    const path = join(workingRoot, '.runtime', 'inject-queue', 'mine.jsonl')
    expect(findTarget([session('other')], params)).toEqual({
      session: undefined,
      spool: { root: workingRoot, sessionId: 'mine', path },
    })
    expect(findTarget([session('mine', { machine: 'there' })], params).session?.id).toBe('mine')
  })

  it('has its spool below the named root, or else below its own', () => {
    const [named, own, workingRoot] = [temporaryFolder(), temporaryFolder(), temporaryFolder()]
    const sessions = [session('mine', { project: own })]
    const find = (root: string | undefined) =>
      findTarget(sessions, { sessionId: undefined, root, workingRoot, machine: 'here' }).spool?.path
    expect(find(named)).toBe(join(named, '.runtime', 'inject-queue', 'mine.jsonl'))
    expect(find(undefined)).toBe(join(own, '.runtime', 'inject-queue', 'mine.jsonl'))
  })

  it('has no spool if its root is not a folder, and none is created', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'file'), '')
    for (const project of [join(folder, 'nowhere'), join(folder, 'file'), join(folder, 'file', 'x'), 'relative', '.']) {
      const params = { sessionId: undefined, root: undefined, workingRoot: folder, machine: 'here' }
      const target = findTarget([session('mine', { project })], params)
      expect(target, project).toMatchObject({ spool: undefined, missing: project })
    }
  })
})

describe('a session', () => {
  it('is at rest while it waits for a prompt, after a long silence, and if there is none', () => {
    expect(isAtRest(undefined, NOW)).toBe(true)
    expect(isAtRest(session('s', { idleSince: NOW }), NOW)).toBe(true)
    expect(isAtRest(session('s', { host: 'wake' }), NOW)).toBe(true)
    expect(isAtRest(session('s', { lastEventAt: NOW - 10 * 60_000 }), NOW)).toBe(true)
  })

  it('is not at rest while it is busy', () => {
    expect(isAtRest(session('s', { lastEventAt: NOW - 9 * 60_000 }), NOW)).toBe(false)
  })
})
