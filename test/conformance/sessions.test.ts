import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished } from 'vitest'
import { processStart } from '../../src/kit/node/processes.ts'
import { verifies } from '../scenarios/verifies.ts'
import { conformance, contents, refused, show, stateOf, stepsOf, tell } from './suite.ts'

const HALF_HOUR_MS = 30 * 60_000

conformance('sessions', ({ rule, open }) => {
  rule('registers a session and notes that it goes on', async () => {
    const { postern, now, advance } = await open()
    const begunAt = now()
    const first = await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', host: 'claude-code' })
    expect(first).toMatchObject({ agent: 'quinn', host: 'claude-code', startedAt: begunAt, endedAt: null })
    advance(5_000)
    const second = await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    expect(second).toMatchObject({ host: 'claude-code', startedAt: begunAt, lastEventAt: now() })
    expect(await postern.sessions.list({ agent: 'quinn' })).toEqual([{ ...second, liveness: 'unknown' }])
  })

  rule('refuses a process that no system could have', async () => {
    const { postern } = await open()
    for (const pid of [-1, 1.5, Number.NaN, 2 ** 53, 1e300]) {
      await refused(postern.sessions.begin({ id: 'ses-1', agent: 'quinn', pid }), 'VALUE_INVALID')
    }
    for (const pidStartedAt of [-1, Number.NaN, 9e15, 1e300]) {
      await refused(postern.sessions.begin({ id: 'ses-1', agent: 'quinn', pid: 7, pidStartedAt }), 'VALUE_INVALID')
    }
    expect(await postern.sessions.list()).toEqual([])
    const session = await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', pid: 7, pidStartedAt: 1.5 })
    expect(session).toMatchObject({ pid: 7, pidStartedAt: 1 })
  })

  rule('keeps a session with the agent that began it', async () => {
    const { postern } = await open({ agents: ['quinn', 'rex'] })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    await refused(postern.sessions.begin({ id: 'ses-1', agent: 'rex' }), 'SESSION_CONFLICT')
    await tell(postern, 'rex', 'hello')
    await refused(postern.inbox.drain({ agent: 'rex', sessionId: 'ses-1' }), 'SESSION_CONFLICT')
    expect(contents(await postern.inbox.drain({ agent: 'rex' }))).toEqual(['hello'])
  })

  rule('refuses a session of nobody and the end of one that never was', async () => {
    const { postern } = await open()
    await refused(postern.sessions.begin({ id: 'ses-1', agent: 'nobody' }), 'AGENT_NOT_FOUND')
    await refused(postern.sessions.end({ id: 'ses-1' }), 'SESSION_NOT_FOUND')
    expect(await postern.sessions.list()).toEqual([])
  })

  rule('lists a session no more when it has ended, and again when it goes on', async () => {
    const { postern } = await open()
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    expect(await postern.sessions.end({ id: 'ses-1' })).toMatchObject({ id: 'ses-1', endedAt: expect.any(Number) })
    expect(await postern.sessions.list()).toEqual([])
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    expect(await postern.sessions.list()).toMatchObject([{ id: 'ses-1', endedAt: null }])
  })

  rule('ends a session twice without harm', async () => {
    const { postern, advance } = await open()
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    const { endedAt } = await postern.sessions.end({ id: 'ses-1' })
    advance(1_000)
    expect(await postern.sessions.end({ id: 'ses-1' })).toMatchObject({ endedAt })
  })

  rule('confirms at its end what a session was shown within a turn', async () => {
    verifies('G4.session-end')
    for (const via of ['prompt.submit', 'tool.after', 'stop']) {
      const { postern } = await open()
      const id = await tell(postern, 'quinn', via)
      await show(postern, { agent: 'quinn', sessionId: 'ses-1', via })
      await postern.sessions.end({ id: 'ses-1' })
      expect(await stateOf(postern, id), via).toBe('seen')
    }
  })

  rule('gives back at its end what a session was shown at its very start', async () => {
    verifies('G4.session-end')
    const { postern } = await open()
    const id = await tell(postern, 'quinn', 'early')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1', via: 'session.start' })
    await postern.sessions.end({ id: 'ses-1' })
    expect(await stateOf(postern, id)).toBe('pending')
  })

  rule('gives back at its end what a session was offered and never printed', async () => {
    verifies('G4.printed-only')
    const { postern } = await open()
    const id = await tell(postern, 'quinn', 'unprinted')
    await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-1', via: 'prompt.submit' })
    await postern.sessions.end({ id: 'ses-1' })
    expect(await stateOf(postern, id)).toBe('pending')
    expect(await stepsOf(postern, id)).toEqual(['stored', 'offered', 'released'])
  })

  rule('leaves alone at its end what another session was shown', async () => {
    const { postern } = await open()
    const id = await tell(postern, 'quinn', 'mine')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    await postern.sessions.begin({ id: 'ses-2', agent: 'quinn' })
    await postern.sessions.end({ id: 'ses-2' })
    expect(await stateOf(postern, id)).toBe('offered')
  })

  rule('shows a new session what the old one left', async () => {
    verifies('S000.session.stable')
    const { postern } = await open()
    await tell(postern, 'quinn', 'for whoever comes')
    await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-1' })
    await postern.sessions.end({ id: 'ses-1' })
    expect(contents(await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-2' }))).toEqual(['for whoever comes'])
  })

  rule('knows whether the process of a session lives', async () => {
    const { postern } = await open()
    const host = startHost()
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', ...identityOf(host) })
    expect(await postern.sessions.list()).toMatchObject([{ liveness: 'alive' }])
    await kill(host)
    expect(await postern.sessions.list()).toMatchObject([{ liveness: 'gone' }])
  })

  rule('leaves a known process on the machine where it runs', async () => {
    const { postern, tamper } = await open()
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', ...identityOf(startHost()) })
    await tamper(`UPDATE sessions SET machine = 'elsewhere'`)
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })
    expect(await postern.sessions.list()).toMatchObject([{ machine: 'elsewhere', liveness: 'unknown' }])
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', ...identityOf(startHost()) })
    expect(await postern.sessions.list()).toMatchObject([{ liveness: 'alive' }])
  })

  rule('looks for a process only on the machine that is named with it', async () => {
    const { postern } = await open()
    const host = startHost()
    const gone = identityOf(host)
    await kill(host)
    const far = { ...gone, machine: 'far-away' }
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', ...far })
    await postern.sessions.begin({ id: 'ses-2', agent: 'quinn', ...gone })
    const sessions = await postern.sessions.list()
    expect(sessions.map(({ id, liveness }) => [id, liveness])).toEqual(
      expect.arrayContaining([
        ['ses-1', 'unknown'],
        ['ses-2', 'gone'],
      ]),
    )
    expect(await postern.sessions.begin({ id: 'ses-1', agent: 'quinn' })).toMatchObject({ machine: 'far-away' })
    const lengthy = { ...gone, machine: 'm'.repeat(301) }
    await refused(postern.sessions.begin({ id: 'ses-3', agent: 'quinn', ...lengthy }), 'CONTENT_TOO_LARGE')
  })

  rule('ends in upkeep a session whose process is gone, and no other', async () => {
    const { postern, tamper } = await open()
    const hosts = [startHost(), startHost()] as const
    await postern.sessions.begin({ id: 'killed', agent: 'quinn', ...identityOf(hosts[0]) })
    await postern.sessions.begin({ id: 'living', agent: 'quinn', ...identityOf(startHost()) })
    await postern.sessions.begin({ id: 'nameless', agent: 'quinn' })
    await postern.sessions.begin({ id: 'remote', agent: 'quinn', ...identityOf(hosts[1]) })
    await tamper(`UPDATE sessions SET machine = 'elsewhere' WHERE id = 'remote'`)
    for (const host of hosts) await kill(host)
    await postern.upkeep.run()
    const left = await postern.sessions.list()
    expect(left.map(({ id }) => id).sort()).toEqual(['living', 'nameless', 'remote'])
  })

  rule('takes back what was printed to a host process that is gone', async () => {
    verifies('G4.printed-lease')
    const { postern, advance } = await open()
    const host = startHost()
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', ...identityOf(host) })
    const id = await tell(postern, 'quinn', 'shown to a ghost')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1', via: 'prompt.submit' })

    expect(await postern.upkeep.run()).toMatchObject({ released: 0 })
    await kill(host)
    advance(HALF_HOUR_MS / 2)
    expect(await postern.upkeep.run()).toMatchObject({ released: 1 })
    expect(await stateOf(postern, id)).toBe('pending')
    const { messages } = await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-2' })
    expect(messages).toMatchObject([{ id, attempt: 2 }])
  })

  rule('leaves what was printed to a living host alone until its half hour is over', async () => {
    verifies('G4.printed-lease')
    const { postern, advance } = await open()
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', ...identityOf(startHost()) })
    const id = await tell(postern, 'quinn', 'patience')
    await show(postern, { agent: 'quinn', sessionId: 'ses-1' })
    advance(HALF_HOUR_MS - 1)
    await postern.upkeep.run()
    expect(await stateOf(postern, id)).toBe('offered')
    advance(10_000)
    await postern.upkeep.run()
    expect(await stateOf(postern, id)).toBe('pending')
  })

  rule('does not take the start time of one process for that of another', async () => {
    const { postern } = await open()
    const [former, present] = [startHost(), startHost()]
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', ...identityOf(former) })
    await kill(former)
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', pid: present.pid as number })
    expect(await postern.sessions.list()).toMatchObject([{ pid: present.pid, pidStartedAt: null, liveness: 'unknown' }])
  })
})

/** A process that stands for an agent's host. It does nothing but live. */
function startHost(): ChildProcess {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

function identityOf({ pid = 0 }: ChildProcess): { readonly pid: number; readonly pidStartedAt: number } {
  return { pid, pidStartedAt: processStart(pid) ?? expect.fail('the host process has no start time') }
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
