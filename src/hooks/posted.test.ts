import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DEAD_MACHINE_MS, PATIENTLY } from '../../test/helpers/patience.ts'
import { createSignal } from '../../test/helpers/signal.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { readConfig } from '../host/config/config.ts'
import { setTrust } from '../host/config/trust.ts'
import { readFaults } from '../host/hook-log.ts'
import type { Hooked } from '../host/serving/hooked.ts'
import { openServed } from '../host/serving/serve.ts'
import type { LocalPostern } from '../model/postern.ts'
import { createPostedHooks, type PostedHooks } from './posted.ts'
import { formatProbe, parseProbed } from './probe.ts'
import { HOOK_TIMEOUTS, type HookTimeouts } from './timeouts.ts'

/** For tests whose subject is not the deadline: on a busy machine an answer may take longer than that. */
const NEVER_LATE: HookTimeouts = { ...HOOK_TIMEOUTS, answerMs: DEAD_MACHINE_MS }

/** A home with quinn and mindy, a project, and what answers events there. */
async function makePlace(wrap: (hooked: Hooked) => Hooked = (hooked) => hooked) {
  const folder = temporaryFolder()
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(home)
  mkdirSync(join(project, '.git'), { recursive: true })
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

/** An answer that has gone out. */
async function sent(hooks: PostedHooks, answering: ReturnType<PostedHooks['answer']>): Promise<string> {
  const { body, settle } = await answering
  settle(true)
  await hooks.rest()
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
    await postern.sessions.begin({ id: 'ses-1', agent: 'quinn', host: 'claude-code', pid: 7, pidStartedAt: 70 })
    await sent(hooks, post('UserPromptSubmit'))
    expect(await postern.sessions.list({})).toMatchObject([{ id: 'ses-1', pid: 7, pidStartedAt: 70 }])
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
    const { post, hooks, project } = await makePlace()
    const folder = join(project, '.runtime', 'inject-queue')
    mkdirSync(folder, { recursive: true })
    const entry = { priority: 1, content: 'from the spool', source: 'ci' }
    writeFileSync(join(folder, 'ses-1.jsonl'), `${JSON.stringify(entry)}\n`)
    expect(contextOf(await sent(hooks, post('PostToolBatch')))).toContain('from the spool')
  })

  it("runs the user's own commands", async () => {
    const { home, post, hooks } = await makePlace()
    const command = `echo '{"context": "from a command"}'`
    writeFileSync(join(home, 'config.json'), JSON.stringify({ hooks: [{ event: 'tool.after', command }] }))
    for (let i = 0; i < 2; i++) expect(contextOf(await sent(hooks, post('PostToolBatch')))).toBe('from a command')
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

  it("is of another's session", async () => {
    const { post, hooks, push, stateOf, faults } = await makePlace()
    await sent(hooks, post('UserPromptSubmit'))
    const id = await push('for mindy', 'mindy')
    expect(await sent(hooks, post('PostToolBatch', { agent: 'mindy' }))).toBe('{}')
    expect(await stateOf(id)).toBe('pending')
    expect(faults()).toEqual([expect.stringContaining('ses-1')])
  })

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
