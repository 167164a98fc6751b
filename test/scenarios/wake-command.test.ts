import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { postern } from '../helpers/command.ts'
import { makeManagedAgent, READ_JSON } from '../helpers/managed-agent.ts'
import { PATIENTLY } from '../helpers/patience.ts'

/** A nudge is quicker than a look, which is taken every half a minute. */
const BEFORE_A_LOOK_MS = 20_000

describe('wake', () => {
  it('runs the command with everything that waits, the urgent first, and confirms it', async () => {
    const agent = await makeManagedAgent()
    const first = await agent.push('first')
    const urgent = await agent.push('urgent', '--priority', '0')
    await agent.push('fyi', '--priority', '4')
    const wake = agent.wake(READ_JSON, '--json')
    await agent.logged(['1 urgent', '1 first', '1 fyi'])
    const later = await agent.push('later')
    await agent.logged(['1 urgent', '1 first', '1 fyi', '1 later'])
    await expect.poll(() => agent.stateOf(later), PATIENTLY).toEqual({ state: 'seen', attempt: 1 })
    wake.kill('SIGTERM')
    expect(await wake.ended).toEqual({ exit: 0, signal: null })
    for (const id of [first, urgent]) expect(await agent.stateOf(id)).toEqual({ state: 'seen', attempt: 1 })
    expect(await agent.ask('agent', 'show', 'quinn')).toMatchObject({ pending: 0, session: null })
  })

  it('gives the command the fence by default, and says whose mail it is', async () => {
    const agent = await makeManagedAgent()
    await agent.push('hello')
    const wake = agent.wake('{ cat; echo "I am $POSTERN_AGENT"; postern --version; } >>"$LOG" 2>/dev/null', '--once')
    expect(await wake.ended).toEqual({ exit: 0, signal: null })
    expect(agent.log()[0]).toMatch(/^┌── postern inbox · quinn · 1 message · fence /)
    expect(agent.log()).toEqual(expect.arrayContaining(['│ hello', 'I am quinn']))
  })

  it('gives back what the command fails with, and tries again after a while, with the next attempt', async () => {
    const agent = await makeManagedAgent()
    const wake = agent.wake(`${READ_JSON}; test "$(wc -l <"$LOG")" -ge 2`, '--json')
    const id = await agent.push('hello')
    await agent.logged(['1 hello', '2 hello'])
    await expect.poll(() => agent.stateOf(id), PATIENTLY).toEqual({ state: 'seen', attempt: 2 })
    expect(wake.said()).toMatch(/^postern: the command ended with 1; 1 message again in \d/)
  })

  it('does not take a success for one where the input was not read', async () => {
    const agent = await makeManagedAgent()
    const id = await agent.push('hello')
    const wake = agent.wake('exec <&-; exit 0', '--once')
    expect(await wake.ended).toEqual({ exit: 1, signal: null })
    expect(wake.said()).toContain('without having read its input')
    expect(await agent.stateOf(id)).toEqual({ state: 'pending', attempt: 1 })
  })

  it('runs one command at a time, however much comes meanwhile', async () => {
    const agent = await makeManagedAgent()
    agent.wake('cat >/dev/null; echo begin >>"$LOG"; sleep 0.3; echo end >>"$LOG"')
    for (const text of ['1', '2', '3', '4', '5']) await agent.push(text)
    await expect
      .poll(async () => (await agent.ask<{ pending: number }>('agent', 'show', 'quinn')).pending, PATIENTLY)
      .toBe(0)
    await expect.poll(() => agent.log().at(-1), PATIENTLY).toBe('end')
    const lines = agent.log()
    expect(lines).toEqual(lines.map((_, index) => (index % 2 === 0 ? 'begin' : 'end')))
  })

  it('is one for an agent: a second one is refused and names the first', async () => {
    const agent = await makeManagedAgent()
    await agent.push('hello')
    const first = agent.wake('cat >/dev/null; echo woken >>"$LOG"')
    await agent.logged(['woken'])
    const second = agent.wake('true')
    expect(await second.ended).toEqual({ exit: 6, signal: null })
    expect(second.said()).toContain(`The process ${first.pid} already wakes quinn. `)
    expect(second.said()).toContain('[WAKE_RUNNING]')
    first.kill('SIGKILL')
    await first.ended
    expect(await agent.push('again')).toMatch(/^msg_/)
    const third = agent.wake('cat >/dev/null', '--once')
    expect(await third.ended).toEqual({ exit: 0, signal: null })
  })

  it('is not woken by what the command says to its own agent', async () => {
    const agent = await makeManagedAgent()
    const note = `"${process.execPath}" "${join(import.meta.dirname, '../../bin/postern.cjs')}" inbox push "a note"`
    agent.wake(`${READ_JSON}; ${note} >/dev/null; echo end >>"$LOG"`, '--json')
    const id = await agent.push('hello')
    await agent.logged(['1 hello', 'end'])
    await expect.poll(() => agent.stateOf(id), PATIENTLY).toEqual({ state: 'seen', attempt: 1 })
    // The note comes with the next batch.
    await agent.push('hello again')
    await agent.logged(['1 hello', 'end', '1 a note', '1 hello again', 'end'])
  })

  it('wakes so often within an hour, then waits and tells a person once, also when it is started again', async () => {
    const agent = await makeManagedAgent()
    const start = () => agent.wake(READ_JSON, '--json', '--max-per-hour', '2')
    const wake = start()
    for (const text of ['one', 'two']) {
      await agent.push(text)
      await expect.poll(() => agent.log().at(-1), PATIENTLY).toBe(`1 ${text}`)
    }
    const id = await agent.push('three')
    await expect.poll(wake.said, PATIENTLY).toContain('quinn was woken 2 times within an hour')
    const told = () => agent.ask<{ items: { subject: string }[] }>('inbox', 'list', '--agent', 'justin', '--all')
    const subjects = async () => (await told()).items.map(({ subject }) => subject)
    await expect.poll(subjects, PATIENTLY).toEqual(['quinn was woken too often'])
    wake.kill('SIGTERM')
    expect(await wake.ended).toEqual({ exit: 0, signal: null })

    const again = start()
    await expect.poll(again.said, PATIENTLY).toContain('quinn was woken 2 times within an hour')
    again.kill('SIGINT')
    expect(await again.ended).toEqual({ exit: 130, signal: null })
    expect(await subjects()).toHaveLength(1)
    expect(await agent.stateOf(id)).toEqual({ state: 'pending', attempt: 0 })
    expect(agent.log()).toHaveLength(2)
  })

  it('names what is wrong with how it is called', async () => {
    const { home } = await makeManagedAgent()
    const calls: readonly (readonly [readonly string[], number, string])[] = [
      [['wake', '--agent', 'quinn'], 64, '<command…> is missing'],
      [['wake', '--', 'cat'], 64, 'It is not clear which agent is meant'],
      [['wake', '--agent', 'nobody', '--', 'cat'], 5, 'AGENT_NOT_FOUND'],
      [['wake', '--agent', 'quinn', '--max-per-hour', '0', '--', 'cat'], 64, '--max-per-hour takes a whole number'],
      [['wake', '--agent', 'quinn', '--nudge-port', '70000', '--', 'cat'], 64, '--nudge-port takes a port'],
    ]
    for (const [words, exit, text] of calls) {
      const outcome = await postern({ home }, ...words)
      expect(outcome).toMatchObject({ exit })
      expect(outcome.stderr).toContain(text)
    }
    await postern({ home }, 'inbox', 'push', '--to', 'quinn', 'hello')
    const outcome = await postern({ home }, 'wake', '--agent', 'quinn', '--', '/no/such/program')
    expect(outcome).toMatchObject({ exit: 64 })
    expect(outcome.stderr).toContain('The command /no/such/program cannot be started (ENOENT).')
    expect((await postern({ home }, 'inbox', 'drain', '--agent', 'quinn')).stdout).toContain('│ hello')
  })
})

describe('wake that is told to end', () => {
  it('passes the signal on, and gives back what the command does not finish', async () => {
    const agent = await makeManagedAgent()
    const id = await agent.push('hello')
    const wake = agent.wake('cat >/dev/null; echo begun >>"$LOG"; exec sleep 600')
    await agent.logged(['begun'])
    expect(await agent.stateOf(id)).toEqual({ state: 'offered', attempt: 1 })
    wake.kill('SIGTERM')
    expect(await wake.ended).toEqual({ exit: 0, signal: null })
    expect(await agent.stateOf(id)).toEqual({ state: 'pending', attempt: 1 })
  })

  it('confirms what the command finishes all the same', async () => {
    const agent = await makeManagedAgent()
    const id = await agent.push('hello')
    const wake = agent.wake(
      'cat >/dev/null; trap "echo told >>$LOG; exit 0" TERM; echo begun >>"$LOG"; while :; do sleep 0.1; done',
    )
    await agent.logged(['begun'])
    wake.kill('SIGTERM')
    expect(await wake.ended).toEqual({ exit: 0, signal: null })
    expect(agent.log()).toEqual(['begun', 'told'])
    expect(await agent.stateOf(id)).toEqual({ state: 'seen', attempt: 1 })
  })

  it('ends a command that does not listen when it is told twice', async () => {
    const agent = await makeManagedAgent()
    const id = await agent.push('hello')
    const wake = agent.wake(
      'cat >/dev/null; trap "echo heard >>$LOG" TERM; echo begun >>"$LOG"; while :; do sleep 0.1; done',
    )
    await agent.logged(['begun'])
    wake.kill('SIGTERM')
    await agent.logged(['begun', 'heard'])
    wake.kill('SIGTERM')
    expect(await wake.ended).toEqual({ exit: 0, signal: null })
    expect(await agent.stateOf(id)).toEqual({ state: 'pending', attempt: 1 })
  })

  it('and is killed in the middle: the next one is shown it again, at once', async () => {
    const agent = await makeManagedAgent()
    const id = await agent.push('hello')
    // It outlives whoever has started it, so it must hold nothing of the test's.
    const wake = agent.wake(`${READ_JSON}; exec sleep 10 >/dev/null 2>&1`, '--json')
    await agent.logged(['1 hello'])
    wake.kill('SIGKILL')
    await wake.ended
    const next = agent.wake(READ_JSON, '--json')
    await agent.logged(['1 hello', '2 hello'])
    await expect.poll(() => agent.stateOf(id), PATIENTLY).toEqual({ state: 'seen', attempt: 2 })
    next.kill('SIGTERM')
    expect(await next.ended).toEqual({ exit: 0, signal: null })
  })
})

describe('a nudge', () => {
  it('needs the token of the home, and makes wake look where nobody rings', async () => {
    const agent = await makeManagedAgent()
    const wake = agent.wake(READ_JSON, '--json', '--session', 'pod-1', '--nudge-port', '0')
    await expect.poll(wake.said, PATIENTLY).toContain('nudges are heard at')
    const [, url = '', port = '', file = ''] = /(http:\/\/127\.0\.0\.1:(\d+)\S*), with the token in (\S+)/.exec(
      wake.said(),
    )!
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const token = readFileSync(file, 'utf8').trim()
    const nudge = async (about: RequestInit & { readonly at?: string } = {}) => {
      const { at = url, ...init } = about
      return (await fetch(at, { method: 'POST', headers: { authorization: `Bearer ${token}` }, ...init })).status
    }
    expect(await nudge({ headers: {} })).toBe(401)
    expect(await nudge({ headers: { authorization: 'Bearer ' } })).toBe(401)
    expect(await nudge({ headers: { authorization: `Bearer ${token.slice(1)}a` } })).toBe(401)
    expect(await nudge({ at: `http://127.0.0.1:${port}/` })).toBe(404)
    expect(await nudge({ method: 'GET' })).toBe(405)
    expect(await nudge({ headers: { authorization: `Bearer ${token}`, origin: 'http://x' } })).toBe(403)

    // What a courier brings rings nobody.
    const spool = join(agent.home, '.runtime', 'inject-queue')
    mkdirSync(spool, { recursive: true })
    appendFileSync(join(spool, 'pod-1.jsonl'), '{"content":"from the courier"}\n')
    const startedAt = performance.now()
    expect(await nudge({ body: 'nobody reads this' })).toBe(204)
    await agent.logged(['1 from the courier'])
    expect(performance.now() - startedAt).toBeLessThan(BEFORE_A_LOOK_MS)
    wake.kill('SIGTERM')
    expect(await wake.ended).toEqual({ exit: 0, signal: null })
  })
})
