import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { watchLock } from '../../src/hooks/watch/place.ts'
import { FAST_CLOCK_ENV, PATIENTLY } from '../helpers/patience.ts'
import { type HostOptions, type ScriptedHost, startScriptedHost } from '../helpers/scripted-host.ts'
import { FULL } from '../helpers/tier.ts'

/** A session of Claude Code that has begun and waits for a prompt. */
async function idleHost(options: Partial<HostOptions> = {}): Promise<ScriptedHost> {
  const host = await startScriptedHost({ host: 'claude-code', ...options })
  expect(await host.fire('SessionStart')).toMatchObject({ exit: 0 })
  return host
}

/** Looks without touching the lock: whoever tried it would be in the way of a watcher that starts. */
function isWatched(home: string, sessionId = 'session-1'): boolean {
  const lock = statSync(watchLock(home, sessionId), { throwIfNoEntry: false })
  if (!lock) return false
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .some((line) => line.includes('FLOCK') && line.includes(`:${lock.ino} `))
}

const watched = (home: string, sessionId?: string) =>
  expect.poll(() => isWatched(home, sessionId), PATIENTLY).toBe(true)
const unwatched = (home: string) => expect.poll(() => isWatched(home), PATIENTLY).toBe(false)

const woken = (messages: string) => ({ exit: 2, stdout: '', stderr: `Postern: ${messages} shown with this prompt.\n` })
const left = { exit: 0, stdout: '', stderr: '' }

describe('a watcher', () => {
  it('wakes a session that rests as soon as mail comes, and tells nothing of what it says', async () => {
    const host = await idleHost()
    const watcher = host.watch('SessionStart')
    await watched(host.home)
    await host.push('A SECRET')
    expect(await watcher.ended).toEqual(woken('1 message waits for quinn and is'))

    const { stdout } = await host.fire('UserPromptSubmit')
    expect(stdout.split('A SECRET')).toHaveLength(2)
    expect((await host.fire('Stop')).stdout).not.toContain('A SECRET')
  })

  it('wakes for mail that came before it was there', FULL, async () => {
    const host = await idleHost()
    await host.push('one')
    await host.push('two', 0)
    expect(await host.watch('SessionStart').ended).toEqual(woken('2 messages wait for quinn and are'))
  })

  it('lets a session that works take its mail by itself, and wakes it when it rests', async () => {
    const host = await idleHost()
    await host.fire('UserPromptSubmit')
    const watcher = host.watch('SessionStart')
    await watched(host.home)
    await host.push('for the working')
    expect((await host.fire('Stop')).stdout).toContain('for the working')
    expect(isWatched(host.home)).toBe(true)
    await host.fire('Stop', { stop_hook_active: true })
    expect(isWatched(host.home)).toBe(true)
    await host.push('for the resting')
    expect(await watcher.ended).toEqual(woken('1 message waits for quinn and is'))
  })

  it('wakes a session that rests though a subagent of it goes on', FULL, async () => {
    const host = await idleHost()
    await host.fire('UserPromptSubmit')
    await host.fire('Stop')
    const watcher = host.watch('Stop')
    await watched(host.home)
    const inside = { agent_id: 'agent-7', agent_type: 'Explore', tool_calls: [{ tool_use_id: 'toolu_1' }] }
    // As long as nothing waits it leaves only a trace, which might be that of a prompt.
    expect(await host.fire('PostToolBatch', inside)).toEqual(left)
    await host.push('hello')
    expect(await host.fire('PostToolBatch', inside)).toEqual(left)
    expect(await watcher.ended).toEqual(woken('1 message waits for quinn and is'))
  })

  it('is one for a session: a second one leaves at once', async () => {
    const host = await idleHost()
    const first = host.watch('SessionStart')
    await watched(host.home)
    expect(await host.watch('Stop').ended).toEqual(left)
    await host.push('hello')
    expect(await first.ended).toMatchObject({ exit: 2 })
  })

  it('wakes one of two sessions of an agent, that which came to rest last', FULL, async () => {
    const early = await idleHost({ sessionId: 'early' })
    const late = await idleHost({ sessionId: 'late', home: early.home })
    early.watch('SessionStart')
    const second = late.watch('SessionStart')
    await watched(early.home, 'early')
    await watched(early.home, 'late')
    await early.push('hello')
    expect(await second.ended).toMatchObject({ exit: 2 })
    expect(isWatched(early.home, 'early')).toBe(true)
  })

  it('ends when its session ends', async () => {
    const host = await idleHost()
    const watcher = host.watch('SessionStart', FAST_CLOCK_ENV)
    await watched(host.home)
    await host.fire('SessionEnd', { reason: 'exit' })
    expect(await watcher.ended).toEqual(left)
  })

  it('ends when the process of its host is gone', async () => {
    const host = await idleHost()
    host.watch('SessionStart', FAST_CLOCK_ENV)
    await watched(host.home)
    host.kill()
    await unwatched(host.home)
  })

  it('ends when its store is gone', async () => {
    const host = await idleHost()
    const watcher = host.watch('SessionStart')
    await watched(host.home)
    for (const end of ['', '-wal', '-shm']) rmSync(join(host.home, `postern.db${end}`), { force: true })
    expect(await watcher.ended).toEqual(left)
  })

  it('leaves at once where its host would wait for it', async () => {
    const host = await idleHost()
    await host.push('hello')
    const words = ['hook', '--host', 'claude-code', '--agent', 'quinn', '--rewake']
    // Its input stays open: it does not even wait for that.
    for (const env of [{ CLAUDE_CODE_SESSION_ATTENDED: '0' }, { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }])
      expect(await host.run(words, null, env).ended).toEqual(left)
  })

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('ends with 0 at %s', async (signal) => {
    const host = await idleHost()
    const watcher = host.watch('SessionStart')
    await watched(host.home)
    watcher.signal(signal)
    expect(await watcher.ended).toMatchObject({ exit: 0, stdout: '' })
  })

  it('ends with 0 and says nothing, whatever is wrong with how it is called', async () => {
    const host = await idleHost()
    const event = JSON.stringify({ session_id: 'session-1', hook_event_name: 'SessionStart', transcript_path: '/x' })
    const hook = ['hook', '--rewake', '--host', 'claude-code']
    const calls: readonly (readonly [readonly string[], string])[] = [
      [[...hook, '--agent', 'quinn'], ''],
      [[...hook, '--agent', 'quinn'], '{"session_id":'],
      [[...hook, '--agent', 'quinn'], '{"session_id":7,"hook_event_name":"SessionStart"}'],
      [[...hook, '--agent', 'quinn', '--no-such-option'], event],
      [[...hook, '--agent', 'quinn', '--session', 'a/../b'], event],
      [[...hook, '--agent', 'quinn', '--store', 'mongodb://x'], event],
      [[...hook, '--agent', 'quinn', '--home', '/dev/null/x'], event],
      [[...hook, '--agent', 'nobody'], event],
      [hook, event],
      [['hook', '--rewake', '--host', 'gemini', '--agent', 'quinn'], event],
      [['hook', '--rewake', '--host', 'nothing', '--agent', 'quinn'], event],
      [['hook', '--rewake'], event],
    ]
    await Promise.all(
      calls.map(async ([words, input]) => expect(await host.run(words, input, FAST_CLOCK_ENV).ended).toEqual(left)),
    )
  })
})
