import { describe, expect, it } from 'vitest'
import { TOOL_SETS } from '../../../src/operations/tools/table.ts'
import { postern } from '../../helpers/command.ts'
import { dataOf, type RawClient, textOf } from '../../helpers/mcp/raw-client.ts'
import { beginHere, openScene } from '../../helpers/mcp/scene.ts'
import { verifies } from '../verifies.ts'

interface Sent {
  readonly messages: readonly { readonly message_id: string; readonly duplicate: boolean }[]
}

interface Checked {
  readonly text: string
  readonly messages: readonly { readonly id: string; readonly from: string; readonly trust: string }[]
  readonly remaining: number
}

interface DecisionData {
  readonly id: string
  readonly state: string
  readonly gateId: string
  readonly answer: { readonly by: string; readonly trust: string; readonly selected: string | null } | null
}

/** Calls a tool that must do what it is asked; what it said stands before what it repeats for readers of text alone. */
async function done<T>(client: RawClient, tool: string, input: object = {}): Promise<T & { readonly said: string }> {
  const answer = await client.call(tool, input)
  const [data, text] = [dataOf<T & object>(answer), textOf(answer)]
  const repeated = `\n${JSON.stringify(data)}`
  expect('text' in data || text.endsWith(repeated), text).toBe(true)
  return { ...data, said: 'text' in data ? text : text.slice(0, -repeated.length) }
}

async function refusedBy(client: RawClient, tool: string, input: object): Promise<string> {
  const answer = await client.call(tool, input)
  expect(answer.result, `${tool} ${JSON.stringify(input)}`).toMatchObject({ isError: true })
  return textOf(answer)
}

async function receiptOf(client: RawClient, id: string): Promise<string | undefined> {
  const { receipts } = await done<{ receipts: { state: string }[] }>(client, 'message_read', { id })
  return receipts[0]?.state
}

describe('two agents that have nothing but MCP', () => {
  it('send, see, acknowledge and reply', async () => {
    verifies('mcp.talk')
    const scene = await openScene()
    const [quinn, mindy] = [await scene.raw('quinn'), await scene.raw('mindy', { era: 'modern' })]
    const letter = {
      to_agent: 'mindy',
      message_type: 'review.request',
      subject: 'PR 7',
      payload: { text: 'Please look at PR 7.' },
      ref_id: 'PR-7',
      priority: 2,
      dedup_key: 'pr-7',
    }
    const sent = await done<Sent>(quinn, 'send_message', letter)
    const [{ message_id: id } = { message_id: '' }] = sent.messages
    expect(sent.said).toBe(`Sent to mindy (${id}).`)
    const again = await done<Sent>(quinn, 'send_message', letter)
    expect(again.messages).toMatchObject([{ message_id: id, duplicate: true }])
    const other = await refusedBy(quinn, 'send_message', { ...letter, payload: { text: 'Never mind.' } })
    expect(other).toMatch(/\[DEDUP_CONFLICT\]$/)
    expect(await receiptOf(quinn, id)).toBe('pending')

    const checked = await done<Checked>(mindy, 'inbox_check')
    expect(checked.messages).toMatchObject([{ id, from: 'quinn', trust: 'unverified' }])
    expect(checked.text).toBe(checked.said)
    expect(checked.said).toMatch(/^┌── postern inbox · mindy · 1 message · fence \w{12}\n/)
    expect(checked.said).toMatch(/^├─ 1\/1 · from quinn \(ai, unverified, via mcp\) · review\.request · /m)
    expect(checked.said).toContain('│ Please look at PR 7.')
    expect(checked.said).toMatch(/\n└── end of postern inbox · fence \w{12}$/)
    expect(await receiptOf(quinn, id)).toBe('offered')

    await done(mindy, 'agent_list')
    expect(await receiptOf(quinn, id)).toBe('seen')
    const key = { ids: [id], dedupKey: 'ack-7' }
    expect((await done(mindy, 'inbox_ack', key)).said).toBe('1 message acknowledged.')
    expect((await done(mindy, 'inbox_ack', key)).said).toBe('1 message acknowledged.')
    const read = await done<{ why: string }>(quinn, 'message_read', { id })
    expect(read.said).toContain('│ Please look at PR 7.')
    expect(await receiptOf(quinn, id)).toBe('acted')
    expect((await done(mindy, 'inbox_check')).said).toBe('No messages.')

    const waiting = done<Checked>(quinn, 'inbox_check', { waitSeconds: 60 })
    const reply = { to_agent: 'quinn', message_type: 'feedback', subject: 'PR 7', ref_id: 'PR-7' }
    await done(mindy, 'send_message', { ...reply, payload: { text: 'It is fine.' } })
    const heard = await waiting
    expect(heard.messages).toMatchObject([{ from: 'mindy', trust: 'unverified' }])
    expect(heard.said).toContain('│ It is fine.')
    const found = await done<{ ids: string[] }>(mindy, 'message_search', { query: 'PR' })
    expect(found.ids).toContain(id)
    for (const client of [quinn, mindy]) expect(client.strays).toEqual([])
  })

  it('ask a person, who answers on the command line, and hand over', async () => {
    verifies('mcp.talk')
    const { raw, ask, within, project } = await openScene()
    const [quinn, mindy] = [await raw('quinn'), await raw('mindy')]
    const question = {
      question: 'Which store?',
      options: [
        { key: 'a', label: 'Postgres' },
        { key: 'b', label: 'SQLite' },
      ],
      ask: ['justin'],
      dedupKey: 'store',
    }
    const asked = await done<DecisionData>(quinn, 'decision_create', question)
    expect(asked.said).toContain(`${asked.id} is open; asked: justin.\n┌── postern decision · `)
    expect(await done<DecisionData>(quinn, 'decision_create', question)).toMatchObject({ id: asked.id })
    expect(await refusedBy(quinn, 'decision_create', { ...question, question: 'Which one?' })).toMatch(
      /\[IDEMPOTENCY_CONFLICT\]$/,
    )
    const held = await done<{ gates: { id: string; mode: string }[] }>(quinn, 'gate_list')
    expect(held.gates).toMatchObject([{ id: asked.gateId, state: 'open' }])
    expect(held.said).toMatch(/^1 gate open\.\n┌── postern gates · 1 entry · fence /)
    expect(held.said).toMatch(/ · set by quinn \(ai, unverified, via mcp\) · \S+\n│ Waiting for an answer to /)
    expect((await done(quinn, 'decision_get', { id: asked.id })).said).toContain('is open')

    const waiting = done<DecisionData>(quinn, 'decision_get', { id: asked.id, waitSeconds: 60 })
    await ask('decision', 'respond', asked.id, '--as', 'justin', '--select', 'b', '--text', 'It is small')
    const answered = await waiting
    expect(answered).toMatchObject({
      state: 'answered',
      answer: { by: 'justin', trust: 'unverified', selected: 'b' },
    })
    expect(answered.said).toContain(`${asked.id} is answered by justin (unverified): b.\n`)
    expect(answered.said).toMatch(/^├ {2}answered by justin \(unverified\) · b · \S+\n│ It is small$/m)
    expect((await done(quinn, 'gate_list')).said).toBe('Nothing holds you.')
    const told = await done<Checked>(quinn, 'inbox_check')
    expect(told.messages).toHaveLength(1)
    expect(told.said).toContain(`│ Decision ${asked.id} resolved: option b`)
    expect((await done(quinn, 'inbox_check')).said).toBe('No messages.')

    const item = { type: 'learning', text: 'SQLite it is.', to: 'mindy', dedupKey: 'left' }
    const left = await done<{ name: string; path: string }>(quinn, 'handoff_leave', item)
    expect(left.said).toContain(`Left as ${left.name}`)
    expect(left.path.startsWith(project)).toBe(true)
    expect(await done<{ name: string }>(quinn, 'handoff_leave', item)).toMatchObject({ name: left.name })
    const { items } = await within(({ handoff }) => handoff.list({ project }))
    expect(items.map(({ name }) => name)).toEqual([left.name])
    const handed = await done<Checked>(mindy, 'inbox_check')
    expect(handed.messages).toHaveLength(1)
    expect(handed.said).toContain(left.name)
  })

  it('note on the record, post on a bus, and set a plan, each once under its key', async () => {
    verifies('mcp.talk')
    const { raw } = await openScene()
    const [quinn, mindy] = [await raw('quinn'), await raw('mindy')]
    const note = { entity_id: 'PROJ-12', entity_type: 'task', note: '**Blocked**', notify: ['mindy', 'nobody'] }
    const noted = await done(quinn, 'post_note', { ...note, dedup_key: 'n1' })
    expect(noted.said).toBe('Noted; told mindy. Not registered, so not told: nobody.')
    expect((await done(quinn, 'post_note', { ...note, dedup_key: 'n1' })).said).toBe(noted.said)
    const entry = { project_id: 'p', task_id: 't', type: 'FACT', body: 'The disk is full.', dedupKey: 'b1' }
    const posted = await done<{ msg_id: string }>(quinn, 'bus_post', entry)
    expect(posted.said).toBe(`Posted as ${posted.msg_id}.`)
    expect(await done<{ msg_id: string }>(quinn, 'bus_post', entry)).toMatchObject({ msg_id: posted.msg_id })
    const page = await done<{ cursor: string; hasMore: boolean }>(mindy, 'bus_read', { project_id: 'p', task_id: 't' })
    expect(page.said).toMatch(/^┌── postern bus p\/t · 1 entry · fence /)
    expect(page.said).toContain('│ The disk is full.')
    const later = { project_id: 'p', task_id: 't', after: page.cursor }
    expect((await done(mindy, 'bus_read', later)).said).toBe('No entries.')
    expect((await done<Checked>(mindy, 'inbox_check')).messages).toHaveLength(1)
    const plan = { name: 'look', instruction: 'Look again.', runAfter: '5 hours', dedupKey: 'p1' }
    const set = await done<{ id: string; nextRunAt: string }>(quinn, 'plan_set', plan)
    expect(set.said).toMatch(new RegExp(`^${set.id} fires at \\d{4}-`))
    expect(await done<{ id: string }>(quinn, 'plan_set', plan)).toMatchObject({ id: set.id, nextRunAt: set.nextRunAt })
    expect(await refusedBy(quinn, 'bus_post', { body: 'Where?' })).toMatch(/\[USAGE\]$/)
  })
})

describe('the tools of the seeds', () => {
  it('are there only where they are asked for', async () => {
    verifies('mcp.seeds')
    const { raw } = await openScene()
    const names = async (client: RawClient) => {
      const { result } = await client.request('tools/list')
      return result.tools.map(({ name }: { name: string }) => name)
    }
    const core = TOOL_SETS.core.map(({ name }) => name)
    expect(await names(await raw('quinn'))).toEqual(core)
    const seeds = await raw('quinn', { args: ['--tools', 'seeds'] })
    expect(await names(seeds)).toEqual(TOOL_SETS.seeds.map(({ name }) => name))
    const { error } = await (await raw('quinn')).call('set_plans', { plans: [] })
    expect(error?.message).toBe('There is no tool set_plans.')
  })

  it('set plans by name or id, list them and delete them', async () => {
    verifies('mcp.seeds')
    const { raw } = await openScene()
    const quinn = await raw('quinn', { args: ['--tools', 'seeds'] })
    type Plans = { plans: { id: string; nextRunAt: string }[] }
    const plans = [
      { name: 'standup', instruction: 'Give a stand-up.', cron: '0 9 * * 1', zone: 'Europe/Berlin' },
      { name: 'later', instruction: 'Look again.', runAfter: '5 hours' },
    ]
    const first = await done<Plans>(quinn, 'set_plans', { plans, dedupKey: 'p' })
    expect(first.said.split('\n')).toHaveLength(2)
    expect(await done<Plans>(quinn, 'set_plans', { plans, dedupKey: 'p' })).toMatchObject({ plans: first.plans })
    const [standup, later] = first.plans
    const changed = [
      { name: 'standup', instruction: 'Be brief.', cron: '0 10 * * 1', zone: 'Europe/Berlin' },
      { id: later?.id, instruction: 'Look twice.', runAfter: '6 hours' },
    ]
    const second = await done<Plans>(quinn, 'set_plans', { plans: changed })
    expect(second.plans.map(({ id }) => id)).toEqual([standup?.id, later?.id])
    const listed = await done<Plans>(quinn, 'get_plans')
    expect(listed.said.match(/^│ .*$/gm)?.toSorted()).toEqual([
      '│ Be brief.',
      '│ Look twice.',
      '│ name: later',
      '│ name: standup',
    ])
    expect(listed.plans.flatMap(Object.keys)).not.toEqual(expect.arrayContaining(['instruction']))
    expect(listed.plans.flatMap(Object.keys)).not.toEqual(expect.arrayContaining(['name']))
    expect((await done(quinn, 'delete_plans', { ids: ['standup', later?.id ?? ''] })).said).toBe('2 plans deleted.')
    expect((await done(quinn, 'get_plans')).said).toBe('No plans.')
    expect(await refusedBy(quinn, 'delete_plans', { ids: ['standup'] })).toMatch(/\[PLAN_NOT_FOUND\]$/)
  })

  it('enter a space, speak in it, read it page by page, and peek without taking', async () => {
    verifies('mcp.seeds')
    const { raw, ask } = await openScene()
    const named = ['--name', 'Project Alpha', '--members', 'quinn,mindy,justin']
    await ask('space', 'create', 'alpha', '--as', 'justin', ...named)
    const args = ['--tools', 'seeds']
    const [quinn, mindy] = [await raw('quinn', { args }), await raw('mindy', { args })]
    expect(await refusedBy(quinn, 'space_post', { content: 'Where am I?' })).toMatch(/\[[A-Z_]+\]$/)
    const entered = await done<{ members: string[]; seq: number | null }>(quinn, 'enter_space', { id: 'alpha' })
    expect(entered.said).toBe('Nothing was said there.')
    expect(entered.members.toSorted()).toEqual(['justin', 'mindy', 'quinn'])
    const post = { content: 'The build is green.', dedupKey: 's1' }
    const posted = await done<{ messageId: string }>(quinn, 'space_post', post)
    expect(posted.said).toBe('Posted in alpha for 2 members.')
    expect(await done<{ messageId: string }>(quinn, 'space_post', post)).toMatchObject({ messageId: posted.messageId })
    for (const at of [1, 2, 3]) await done(quinn, 'space_post', { id: 'alpha', content: `Step ${at}.` })

    const peeked = await done<{ ids: string[]; hasMore: boolean }>(mindy, 'peek_inbox', { limit: 2 })
    expect(peeked).toMatchObject({ hasMore: true })
    expect(peeked.ids).toHaveLength(2)
    expect(peeked.said).toContain('The build is green.')
    const all = await done<{ ids: string[] }>(mindy, 'peek_inbox')
    const checked = await done<Checked>(mindy, 'inbox_check')
    expect(checked.messages.map(({ id }) => id).toSorted()).toEqual(all.ids.toSorted())
    expect(checked.said).toContain('"spaceName":"Project Alpha"')

    const page = await done<{ seq: number | null }>(mindy, 'read_messages', { id: 'alpha', limit: 2 })
    expect(page.said).toMatch(/^┌── postern space alpha · 2 entries · fence /)
    expect(page.said).toContain('│ Step 3.')
    const before = await done(mindy, 'read_messages', { id: 'alpha', limit: 2, before: page.seq })
    expect(before.said).toContain('│ The build is green.')
    expect(before.said).not.toContain('Step 2.')
  })
})

describe('who an agent is', () => {
  it('no argument says, for any tool', async () => {
    verifies('mcp.identity')
    const { raw, within } = await openScene()
    const quinn = await raw('quinn', { args: ['--tools', 'seeds'] })
    for (const { name, input } of TOOL_SETS.seeds) {
      for (const field of ['agent', 'as', 'from', 'caller', 'session', 'via', 'constructor']) {
        expect(Object.keys(input.shape)).not.toContain(field)
        const forged = JSON.parse(`{"${field}":"mindy"}`)
        expect(await refusedBy(quinn, name, forged), name).toContain(`there is no field "${field}"`)
      }
    }
    const letter = {
      to_agent: 'mindy',
      message_type: 'fyi',
      subject: 'x',
      payload: { from: 'justin', agent: 'justin' },
    }
    const meta = { _meta: { agent: 'justin', sessionId: 'ses_of_mindy', 'postern/agent': 'mindy' } }
    const sent = await quinn.request('tools/call', { name: 'send_message', arguments: letter, ...meta })
    expect(sent.result.isError).toBeUndefined()
    const { items } = await within(({ inbox }) => inbox.list({ agent: 'mindy' }))
    expect(items.map(({ from }) => from)).toEqual([{ id: 'quinn', kind: 'ai', verified: false, via: 'mcp' }])
  })

  it('does not let it do what is for people', async () => {
    verifies('mcp.identity')
    const { raw, ask } = await openScene()
    const quinn = await raw('quinn', { args: ['--tools', 'seeds'] })
    const names = TOOL_SETS.seeds.map(({ name }) => name)
    for (const name of ['decision_respond', 'gate_waive', 'inbox_release', 'token_create', 'agent_add']) {
      expect(names).not.toContain(name)
      expect((await quinn.call(name, {})).error?.message).toBe(`There is no tool ${name}.`)
    }
    const gate = await ask<{ id: string }>(
      ...['gate', 'create', '--as', 'justin', '--agent', 'quinn', '--kind', 'human', 'Look first'],
    )
    expect(await refusedBy(quinn, 'gate_resolve', { id: gate.id, reason: 'I looked' })).toMatch(/\[NOT_ALLOWED\]$/)
    expect(await ask('gate', 'show', gate.id)).toMatchObject({ state: 'open' })
  })

  it('must be known, and must not be a person for a process of an AI', async () => {
    verifies('mcp.identity')
    const { home, within, project } = await openScene()
    const options = { home, cwd: project }
    expect(await postern(options, 'mcp', '--agent', 'nobody')).toMatchObject({
      exit: 5,
      stdout: '',
      stderr: expect.stringContaining('[AGENT_NOT_FOUND]'),
    })
    expect(await postern(options, 'mcp')).toMatchObject({
      stdout: '',
      stderr: expect.stringMatching(/--agent <agent>.*\[NOT_ALLOWED\]\n$/s),
    })
    await beginHere(within)
    expect(await postern(options, 'mcp', '--agent', 'justin')).toMatchObject({
      exit: 4,
      stdout: '',
      stderr: expect.stringContaining('[NOT_ALLOWED]'),
    })
  })
})
