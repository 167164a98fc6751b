import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DEAD_MACHINE_MS, PATIENTLY } from '../../test/helpers/patience.ts'
import { createSignal } from '../../test/helpers/signal.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { readConfig } from '../host/config/config.ts'
import { setTrust } from '../host/config/trust.ts'
import { readFaults } from '../host/hook-log.ts'
import type { Hooked } from '../host/serving/hooked.ts'
import { openServed } from '../host/serving/serve.ts'
import { NO_SHADOW, openShadow } from '../host/shadow.ts'
import { spoolPath } from '../host/spool-place.ts'
import { nextTurn } from '../kit/node/event-loop.ts'
import { processStart } from '../kit/node/processes.ts'
import type { LocalPostern } from '../model/postern.ts'
import { createPostedHooks, type PostedHooks } from './posted.ts'
import { formatProbe, parseProbed } from './probe.ts'
import { openCopy } from './shadows.ts'
import { HOOK_TIMEOUTS, type HookTimeouts } from './timeouts.ts'

/** For tests whose subject is not the deadline: on a busy machine an answer may take longer than that. */
const NEVER_LATE: HookTimeouts = { ...HOOK_TIMEOUTS, answerMs: DEAD_MACHINE_MS }

/** A process of a host, as a local hook names it. */
const LOCAL_HOST = { pid: 7, pidStartedAt: 70 } as const

/** A home with quinn and mindy, a project, and what answers events there. */
async function makePlace(wrap: (hooked: Hooked) => Hooked = (hooked) => hooked, written: object = {}) {
  const folder = temporaryFolder()
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  mkdirSync(join(project, '.git'), { recursive: true })
  writeFileSync(join(home, 'config.json'), JSON.stringify(written))
  const served = await openServed(readConfig({ flags: { home }, env: {}, cwd: home }), { upkeep: false })
  const { postern } = served
  for (const id of ['quinn', 'mindy']) await postern.agents.add({ id })
  const hooks = createPostedHooks(wrap(served.hooked), NEVER_LATE)
  onTestFinished(async () => {
    await hooks.rest()
    await served.close()
  })
  const event = (name: string, fields: object = {}) =>
    JSON.stringify({ hook_event_name: name, session_id: 'ses-1', cwd: project, ...fields })
  const post = (name: string, { agent = 'quinn', fields = {} } = {}) =>
    hooks.answer({ host: 'claude-code', agent, read: async () => event(name, fields) })
  return {
    home,
    project,
    postern,
    hooks,
    post,
    push: async (content: string, to = 'quinn') => (await postern.inbox.push({ to: [to], content, priority: 1 })).id,
    stateOf: async (id: string) => (await postern.inbox.trace({ id })).deliveries[0]?.state,
    faults: () => readFaults(home, 10).map(({ fault }) => fault),
  }
}

/**
 * An answer that has gone out. An event confirms what was printed in an earlier millisecond than it began, and here the
 * next event may begin in the same one, so that one has to pass.
 */
async function sent(hooks: PostedHooks, answering: ReturnType<PostedHooks['answer']>): Promise<string> {
  const { body, settle } = await answering
  settle(true)
  await hooks.rest()
  const at = Date.now()
  while (Date.now() <= at + 1) await nextTurn()
  return body
}

const contextOf = (body: string) => JSON.parse(body).hookSpecificOutput?.additionalContext ?? ''

describe('an event that a host posts', () => {
  it('shows what waits once, and the next event confirms it', async () => {
    const { post, hooks, push, stateOf, faults } = await makePlace()
    const id = await push('the build is red')
    const body = await sent(hooks, post('UserPromptSubmit'))
    expect(JSON.parse(body).hookSpecificOutput.hookEventName).toBe('UserPromptSubmit')
    expect(contextOf(body)).toContain('the build is red')
    expect(await stateOf(id)).toBe('offered')
    expect(await sent(hooks, post('PostToolBatch'))).toBe('{}')
    expect(await stateOf(id)).toBe('seen')
    expect(faults()).toEqual([])
  })

  it('is shown again where the host had gone before the answer was out', async () => {
    const { post, hooks, push, stateOf } = await makePlace()
    const id = await push('still there')
    const { body, settle } = await post('PostToolBatch')
    expect(contextOf(body)).toContain('still there')
    settle(false)
    await hooks.rest()
    expect(await stateOf(id)).toBe('pending')
    expect(contextOf(await sent(hooks, post('PostToolBatch')))).toContain('still there')
  })

  it('keeps what is known of the process that began the session', async () => {
    const { postern, post, hooks } = await makePlace()
    const living = { pid: process.pid, pidStartedAt: processStart(process.pid) ?? 0 }
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', host: 'claude-code', ...living })
    await sent(hooks, post('UserPromptSubmit'))
    expect(await postern.sessions.list({})).toMatchObject([{ id: 'ses-1', ...living }])
  })

  it('leaves the count of continued stops alone, because the held agent could post a prompt itself', async () => {
    const { postern, post, hooks } = await makePlace()
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', host: 'claude-code' })
    await postern.sessions.setStop({ id: 'ses-1', outcome: 'continued' })
    await sent(hooks, post('UserPromptSubmit'))
    expect(await postern.sessions.list({})).toMatchObject([{ continuations: 1, idleSince: null }])
    await postern.sessions.setStop({ id: 'ses-1', outcome: 'granted' })
    await sent(hooks, post('UserPromptSubmit'))
    expect(await postern.sessions.list({})).toMatchObject([{ continuations: 0, idleSince: null }])
  })

  it('finds out what came while its agent was quiet', async () => {
    const { post, hooks, push } = await makePlace()
    for (let i = 0; i < 3; i++) expect(await sent(hooks, post('PostToolBatch'))).toBe('{}')
    await push('now')
    expect(contextOf(await sent(hooks, post('PostToolBatch')))).toContain('now')
  })

  it('says that its agent is at work while that is quiet', async () => {
    const { postern, post, hooks } = await makePlace()
    await postern.sessions.note({ id: 'ses-1', agent: 'quinn', event: 'session.start' })
    await sent(hooks, post('PostToolBatch'))
    await postern.sessions.note({ id: 'ses-1', agent: 'quinn', event: 'session.start' })
    await postern.sessions.markQuiet({ agent: 'quinn' })
    expect((await postern.sessions.list({}))[0]?.idleSince).not.toBeNull()
    // Files tell the time in coarse steps.
    await expect
      .poll(async () => {
        await sent(hooks, post('PostToolBatch'))
        return (await postern.sessions.list({}))[0]?.idleSince
      }, PATIENTLY)
      .toBeNull()
  })

  it('takes what stands in the spool', async () => {
    const { post, hooks, project, postern } = await makePlace()
    const folder = join(project, '.runtime', 'inject-queue')
    mkdirSync(folder, { recursive: true })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', project, ...LOCAL_HOST })
    const entry = { priority: 1, content: 'from the spool', source: 'ci' }
    writeFileSync(join(folder, 'ses-1.jsonl'), `${JSON.stringify(entry)}\n`)
    expect(contextOf(await sent(hooks, post('PostToolBatch')))).toContain('from the spool')
  })

  it("runs the user's own commands in the folder in which a local hook began the session", async () => {
    const { home, project, postern, post, hooks } = await makePlace()
    const hook = { event: 'tool.after', command: './notify.sh', timeoutMs: DEAD_MACHINE_MS }
    writeFileSync(join(home, 'config.json'), JSON.stringify({ hooks: [hook] }))
    const theirs = temporaryFolder()
    for (const folder of [project, theirs]) {
      const script = `#!/bin/sh\necho '{"context": "ran in ${folder === project ? 'the project' : 'their folder'}"}'`
      writeFileSync(join(folder, 'notify.sh'), script, { mode: 0o755 })
    }
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', project, ...LOCAL_HOST })
    const begun = postern.as({ id: 'quinn', kind: 'ai', verified: true, via: 'http' }).sessions
    await expect(begun.begin({ id: 'ses-1', agent: 'quinn', project: theirs })).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
    for (const cwd of [project, theirs]) {
      const body = await sent(hooks, post('PostToolBatch', { fields: { cwd } }))
      expect(contextOf(body)).toBe('ran in the project')
    }
  })

  it("runs no command of the user's in a folder that only a token has named", async () => {
    const { home, project, postern, post, hooks, faults } = await makePlace()
    const command = 'touch ran; echo \'{"context": "from a command"}\''
    writeFileSync(join(home, 'config.json'), JSON.stringify({ hooks: [{ event: 'tool.after', command }] }))
    expect(await sent(hooks, post('PostToolBatch'))).toBe('{}')
    const quinn = postern.as({ id: 'quinn', kind: 'ai', verified: true, via: 'http' })
    await quinn.sessions.begin({ id: 'ses-1', agent: 'quinn', host: 'claude-code', project })
    expect(await sent(hooks, post('PostToolBatch'))).toBe('{}')
    // A process on another machine is no local hook's.
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', ...LOCAL_HOST, machine: 'elsewhere' })
    expect(await sent(hooks, post('PostToolBatch'))).toBe('{}')
    expect(existsSync(join(project, 'ran'))).toBe(false)
    expect(faults()).toEqual([])
  })

  it('begins no more sessions than its token may create, and goes on with those that it has begun', async () => {
    const limits = { creationBurst: 2, creationsPerMinute: 1 }
    const { postern, post, hooks, faults } = await makePlace(undefined, { limits })
    for (const session_id of ['one', 'two', 'three', 'one'])
      await sent(hooks, post('PostToolBatch', { fields: { session_id } }))
    expect((await postern.sessions.list({ agent: 'quinn' })).map(({ id }) => id).sort()).toEqual(['one', 'two'])
    expect(faults()).toEqual([expect.stringContaining('too many requests')])
  })

  it('leaves no shadow of a session that only a token has named, and keeps that of a local one up to date', async () => {
    const { home, project, postern, post, hooks, faults } = await makePlace()
    const gate = { agent: 'quinn', kind: 'human', reason: 'Look first' } as const
    const { id } = await postern.gates.create(gate)
    for (let at = 0; at < 20; at++)
      await sent(hooks, post('UserPromptSubmit', { fields: { session_id: `ses-made-up-${at}` } }))
    expect(existsSync(join(home, 'shadow'))).toBe(false)
    expect(openCopy(home, { agent: 'quinn', sessionId: 'ses-made-up-1' }).read()).toEqual(NO_SHADOW)
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', project, ...LOCAL_HOST })
    const shadow = openShadow(home, { agent: 'quinn', sessionId: 'ses-1' })
    await sent(hooks, post('UserPromptSubmit', { fields: { cwd: temporaryFolder() } }))
    expect(shadow.read()).toMatchObject({ folder: null, gates: [{ name: id }] })
    const second = await postern.gates.create(gate)
    await sent(hooks, post('UserPromptSubmit'))
    expect(
      shadow
        .read()
        .gates.map(({ name }) => name)
        .toSorted(),
    ).toEqual([id, second.id].toSorted())
    expect(faults()).toEqual([])
  })

  it('never moves the folder in which a local hook began the session', async () => {
    const { home, project, postern, post, hooks } = await makePlace()
    await postern.gates.create({ agent: 'quinn', kind: 'human', reason: 'Look first' })
    const shadow = openShadow(home, { agent: 'quinn', sessionId: 'ses-1' })
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', project, ...LOCAL_HOST })
    for (const folder of [project, null]) {
      const known = { ...NO_SHADOW, folder, counted: 1 }
      shadow.write(known)
      await sent(hooks, post('UserPromptSubmit', { fields: { cwd: temporaryFolder() } }))
      expect(shadow.read()).toMatchObject({ folder, gates: [{ reason: 'Look first' }] })
    }
  })

  it('reads no configuration of a folder outside of the project in which a local hook began the session', async () => {
    const { home, project, postern, post, hooks } = await makePlace()
    const theirs = temporaryFolder()
    for (const [folder, says] of [
      [project, 'of the project'],
      [theirs, 'of another project'],
    ] as const) {
      const hook = { event: 'tool.after', command: `echo '{"context": "${says}"}'`, timeoutMs: DEAD_MACHINE_MS }
      const file = join(folder, 'postern.config.json')
      writeFileSync(file, JSON.stringify({ hooks: [hook] }))
      setTrust(home, file, true)
    }
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', project, ...LOCAL_HOST })
    for (const cwd of [theirs, `${project}/../..${theirs}`, project, join(project, 'src')])
      expect(contextOf(await sent(hooks, post('PostToolBatch', { fields: { cwd } })))).toBe('of the project')
  })

  it('uses the spool only in the folder where a local hook began the session', async () => {
    const { project, postern, post, hooks } = await makePlace()
    const theirs = temporaryFolder()
    for (const folder of [project, theirs]) {
      for (const session of ['ses-1', 'ses-2']) {
        const path = spoolPath(folder, session)
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, `${JSON.stringify({ content: `of ${folder === project ? 'the project' : 'others'}` })}\n`)
      }
    }
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', project, ...LOCAL_HOST })
    const token = postern.as({ id: 'quinn', kind: 'ai', verified: true, via: 'http' })
    await token.sessions.begin({ id: 'ses-3', agent: 'quinn', project: theirs })
    for (const session_id of ['ses-2', 'ses-3', 'ses-1'])
      for (const cwd of [theirs, project]) await sent(hooks, post('PostToolBatch', { fields: { cwd, session_id } }))
    const { items } = await postern.inbox.list({ agent: 'quinn', which: 'all' })
    expect(items.map(({ content }) => content)).toEqual(['of the project'])
    for (const session of ['ses-1', 'ses-2']) expect(existsSync(spoolPath(theirs, session))).toBe(true)
    expect(existsSync(spoolPath(project, 'ses-2'))).toBe(true)
  })

  it('says nothing of a subagent, and confirms nothing by it', async () => {
    const { post, hooks, push, stateOf } = await makePlace()
    const id = await push('for quinn alone')
    expect(await sent(hooks, post('PostToolBatch', { fields: { agent_id: 'sub-1' } }))).toBe('{}')
    await sent(hooks, post('PostToolBatch'))
    await sent(hooks, post('PostToolBatch', { fields: { agent_id: 'sub-1' } }))
    expect(await stateOf(id)).toBe('offered')
  })
})

describe('an event that cannot be answered', () => {
  it.each([
    'Stop',
    'PreToolUse',
    'SessionStart',
    'SessionEnd',
    'PreCompact',
    'Notification',
  ])('is %s, which must not come over HTTP', async (name) => {
    const { post, hooks, push, stateOf, faults } = await makePlace()
    const id = await push('not here')
    expect(await sent(hooks, post(name))).toBe('{}')
    expect(await stateOf(id)).toBe('pending')
    expect(faults()).toEqual([expect.stringContaining('through the launcher')])
  })

  it.each([
    ['no JSON', '{', 'the input was not JSON'],
    ['no event', '[]', 'the input was no event of this host'],
    ['without a session', '{"hook_event_name":"PostToolBatch"}', 'the event names no session, or not a sound one'],
  ])('is one with %s', async (_, input, fault) => {
    const { hooks, faults } = await makePlace()
    expect(await sent(hooks, hooks.answer({ host: 'claude-code', agent: 'quinn', read: async () => input }))).toBe('{}')
    expect(faults()).toEqual([fault])
  })

  it('names no agent, a strange one, one that nobody knows, or no host', async () => {
    const { hooks, faults } = await makePlace()
    const read = async () => JSON.stringify({ hook_event_name: 'PostToolBatch', session_id: 's' })
    for (const [host, agent] of [
      ['claude-code', undefined],
      ['claude-code', '../home'],
      ['claude-code', 'nobody'],
      ['../x', 'quinn'],
    ] as const)
      expect(await sent(hooks, hooks.answer({ host, agent, read }))).toBe('{}')
    expect(faults()).toEqual([
      expect.stringContaining('bound to no agent'),
      expect.stringContaining('bound to no agent'),
      expect.stringContaining('nobody'),
      'there is no such host',
    ])
  })
})

it("shows mail in another agent's session without the session, and notes that", async () => {
  const { post, hooks, push, stateOf, faults } = await makePlace()
  await sent(hooks, post('UserPromptSubmit'))
  const id = await push('for mindy', 'mindy')
  expect(await sent(hooks, post('PostToolBatch', { agent: 'mindy' }))).toContain('for mindy')
  expect(await stateOf(id)).toBe('seen')
  expect(faults()).toEqual([expect.stringContaining('ses-1')])
})

describe('an event that cannot be answered', () => {
  it('could not be read to its end', async () => {
    const { hooks, faults } = await makePlace()
    const read = () => Promise.reject(new Error('it was cut off'))
    expect(await sent(hooks, hooks.answer({ host: 'claude-code', agent: 'quinn', read }))).toBe('{}')
    expect(faults()).toEqual(['it was cut off'])
  })

  it('comes from a project that keeps its messages elsewhere', async () => {
    const { home, project, post, hooks, push, stateOf, faults } = await makePlace()
    const file = join(project, 'postern.config.json')
    writeFileSync(file, JSON.stringify({ store: 'own.db' }))
    setTrust(home, file, true)
    const id = await push('not in this store')
    expect(await sent(hooks, post('PostToolBatch'))).toBe('{}')
    expect(await stateOf(id)).toBe('pending')
    expect(faults()).toEqual([expect.stringContaining('another store')])
  })

  it('comes from a project whose file is broken, which counts for nothing', async () => {
    const { project, post, hooks, push, faults } = await makePlace()
    writeFileSync(join(project, 'postern.config.json'), '{')
    await push('all the same')
    expect(contextOf(await sent(hooks, post('PostToolBatch')))).toContain('all the same')
    expect(faults()).toHaveLength(1)
  })

  it('comes too late, and what it would have shown is given back', async () => {
    const [asked, letGo] = [createSignal(), createSignal()]
    const slow = (postern: LocalPostern): LocalPostern => ({
      ...postern,
      hooks: {
        ...postern.hooks,
        async drain(input) {
          asked.fire()
          await letGo.fired
          return postern.hooks.drain(input)
        },
      },
    })
    const wrap = (hooked: Hooked): Hooked => ({ ...hooked, open: (rules) => slow(hooked.open(rules)) })
    const { post, hooks, push, postern, stateOf, faults } = await makePlace(wrap)
    const id = await push('late')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const answering = sent(hooks, post('PostToolBatch'))
    await asked.fired
    vi.advanceTimersByTime(DEAD_MACHINE_MS)
    expect(await answering).toBe('{}')
    expect(faults()).toEqual([expect.stringContaining('in time')])
    letGo.fire()
    await expect
      .poll(async () => (await postern.inbox.trace({ id })).deliveries[0]?.steps.at(-1)?.step, PATIENTLY)
      .toBe('released')
    expect(await stateOf(id)).toBe('pending')
  })
})

describe("the doctor's probe", () => {
  it('is answered, and changes nothing', async () => {
    const { hooks, postern, home, faults } = await makePlace()
    const read = async () => formatProbe(home)
    const { body } = await hooks.answer({ host: 'claude-code', agent: 'quinn', read })
    expect(parseProbed(body)).toEqual({ agent: 'quinn', fault: null })
    expect(await postern.sessions.list({})).toEqual([])
    expect(faults()).toEqual([])
  })
})
