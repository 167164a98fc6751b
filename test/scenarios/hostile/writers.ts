import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { takeIn } from '../../../src/core/ledger/intake/take-in.ts'
import { nextTurn } from '../../../src/kit/node/event-loop.ts'
import { processStart } from '../../../src/kit/node/processes.ts'
import { createLocalLedger } from '../../../src/ledger/local/local-ledger.ts'
import { formatHcs10 } from '../../../src/model/ledger/hcs10.ts'
import { formatInboundMemo } from '../../../src/model/ledger/memos.ts'
import { A_FILE, type Author } from './oracle.ts'
import { CIBOT, MOLDO, MORTA, OTTO, PETRA, type Plant, READERS, type Scene, UNNAMED, type Writer } from './scene.ts'

/** Puts a hostile text into every field that somebody can write to, by every kind of writer. */
export async function plantEverything(scene: Scene): Promise<void> {
  for (const write of WRITERS) await write(scene)
}

/** Readers are told of what they have asked or set themselves under their own name. */
function itself(reader: string): Writer {
  const caller = { id: reader, kind: 'ai', verified: true, via: 'mcp' } as const
  return { caller, author: { id: reader, isVerified: true } }
}

async function pushMessages(scene: Scene): Promise<void> {
  for (const writer of [PETRA, OTTO, MORTA, MOLDO, CIBOT, UNNAMED]) {
    const { inbox } = scene.as(writer.caller)
    const pushed = await scene.attempt(writer, 'inbox.push', (plant) =>
      inbox.push({
        to: READERS,
        content: plant('content', { maxBytes: 2_000 }),
        subject: plant('subject', { maxBytes: 300 }),
        ref: plant('ref', { maxBytes: 120 }),
        payload: { [plant('payload key', { maxBytes: 120 })]: plant('payload'), list: [plant('payload list')] },
        context: { note: plant('context') },
        attachments: [
          {
            name: plant('attachment name', { maxBytes: 120 }),
            path: plant('attachment path', { maxBytes: 120 }),
            url: plant('attachment url', { maxBytes: 120 }),
            sha256: 'a'.repeat(64),
            bytes: 1,
          },
        ],
      }),
    )
    await scene.attempt(writer, 'inbox.push reply', (plant) =>
      inbox.push({ to: READERS, content: plant('content'), replyTo: pushed?.id ?? '' }),
    )
    await scene.attempt(writer, 'inbox.push type', (plant) =>
      inbox.push({ to: READERS, content: 'x', type: plant('type', { maxBytes: 60, isLine: true }) }),
    )
    await scene.attempt(writer, 'inbox.push to', (plant) =>
      inbox.push({ to: [plant('to', { maxBytes: 60 })], content: 'x' }),
    )
  }
}

async function fillSpools(scene: Scene): Promise<void> {
  const producer: Writer = { caller: UNNAMED.caller, author: { id: 'spool:cron', isVerified: false } }
  for (const agent of READERS)
    await scene.attempt(producer, 'inbox.ingest', (plant) =>
      scene.postern.inbox.ingest({
        agent,
        entries: [
          { content: plant('content'), source: 'cron', place: 'a' },
          { content: 'x', source: plant('source', { isName: true, maxBytes: 60 }), place: 'b' },
          { content: 'x', shown: { at: 1, evidence: plant('evidence', { maxBytes: 100 }) }, place: 'c' },
        ],
      }),
    )
}

async function fillSpoolTypes(scene: Scene): Promise<void> {
  const producer: Writer = { caller: UNNAMED.caller, author: { id: 'spool:cron', isVerified: false } }
  await scene.attempt(producer, 'inbox.ingest type', (plant) =>
    scene.postern.inbox.ingest({
      agent: MCP_AGENT,
      entries: [{ content: 'x', source: 'cron', type: plant('type', { isLine: true, maxBytes: 60 }), place: 'd' }],
    }),
  )
}

async function setGates(scene: Scene): Promise<void> {
  for (const agent of READERS) {
    for (const writer of [PETRA, itself(agent), UNNAMED]) {
      const { gates } = scene.as(writer.caller)
      for (const mode of ['strict', 'soft'] as const) {
        await scene.attempt(writer, 'gates.create stop', (plant) =>
          gates.create({ agent, kind: 'human', mode, reason: plant('reason') }),
        )
        await scene.attempt(writer, 'gates.create tool', (plant) =>
          gates.create({ agent, kind: 'human', mode, hook: 'tool', tool: 'Bash', reason: plant('reason') }),
        )
      }
      await scene.attempt(writer, 'gates.create tool name', (plant) =>
        gates.create({
          agent,
          kind: 'human',
          hook: 'tool',
          tool: plant('tool', { maxBytes: 100, isName: true }),
          reason: plant('reason'),
        }),
      )
      if (scene.chosen.includes(agent)) await closeGates(scene, writer, agent)
    }
    await registerGates(scene, agent)
  }
}

/** Commands that a shell takes for a comment, and conditions that are none. */
async function setConditions(scene: Scene): Promise<void> {
  const { gates } = scene.as(UNNAMED.caller)
  const line = { isLine: true, maxBytes: 300 }
  await scene.attempt(UNNAMED, 'gates.create command', (plant) =>
    gates.create({
      agent: MCP_AGENT,
      kind: 'command',
      awaits: `# ${plant('awaits', line)}`,
      folder: `/${plant('folder', { ...line, isName: true })}`,
      reason: plant('reason'),
    }),
  )
  await scene.attempt(UNNAMED, 'gates.create escalateTo', (plant) =>
    gates.create({
      agent: MCP_AGENT,
      kind: 'human',
      reason: 'x',
      escalateAfterMs: 60_000,
      escalateTo: plant('escalateTo', { maxBytes: 60 }),
      waiters: [plant('waiters', { maxBytes: 60 })],
    }),
  )
  await scene.attempt(UNNAMED, 'gates.register check', (plant) =>
    gates.register({ sessionId: `s-${MCP_AGENT}`, name: 'checked', check: `# ${plant('check', line)}`, reason: 'x' }),
  )
  await scene.attempt(itself(MCP_AGENT), 'gates.mark name', (plant) =>
    scene.as(itself(MCP_AGENT).caller).gates.mark({ sessionId: `s-${MCP_AGENT}`, name: plant('name', line) }),
  )
  const open = await scene.as(PETRA.caller).gates.create({ agent: MCP_AGENT, kind: 'human', reason: 'x' })
  await scene.attempt(UNNAMED, 'gates.waive', (plant) => gates.waive({ id: open.id, reason: plant('reason') }))
  await scene.attempt(PETRA, 'gates.waive', (plant) =>
    scene.as(PETRA.caller).gates.waive({ id: open.id, reason: plant('reason') }),
  )
}

/** What an agent says of its own mail, and of its sessions. */
async function moveMessages(scene: Scene): Promise<void> {
  const writer = itself(MCP_AGENT)
  const { inbox, sessions } = scene.as(writer.caller)
  const sessionId = `s-${MCP_AGENT}`
  const take = async (via?: string) => {
    await scene.postern.inbox.push({ to: [MCP_AGENT], content: 'x', priority: 0 })
    const { offer } = await inbox.drain({
      agent: MCP_AGENT,
      sessionId,
      maxMessages: 1,
      maxPriority: 0,
      ...(via !== undefined && { via }),
    })
    return offer?.id ?? ''
  }
  const short = { maxBytes: 100 }
  const line = { isLine: true, maxBytes: 60 }
  // A message is traced in one of three ways.
  for (let at = 0; at < 3; at++) {
    await scene.attempt(writer, 'inbox.drain', async (plant) =>
      inbox.release({ offerId: await take(plant('via', line)), reason: 'x' }),
    )
    await scene.attempt(writer, 'inbox.release', async (plant) =>
      inbox.release({ offerId: await take(), reason: plant('reason', short) }),
    )
    await scene.attempt(writer, 'inbox.confirm', async (plant) =>
      inbox.confirm({ offerId: await take(), printed: true, evidence: plant('evidence', short) }),
    )
    await scene.attempt(writer, 'inbox.confirmSession', async (plant) => {
      await inbox.printed({ offerId: await take() })
      return inbox.confirmSession({ sessionId, printedBefore: Date.now() + 1_000, evidence: plant('evidence', short) })
    })
    await scene.attempt(writer, 'sessions.note', async (plant) => {
      await inbox.printed({ offerId: await take() })
      // The event begins in a later millisecond than what it confirms was printed.
      for (const at = Date.now(); Date.now() <= at + 1; ) await nextTurn()
      return sessions.note({ id: sessionId, agent: MCP_AGENT, event: plant('event', line), ageMs: 0 })
    })
  }
  const local = scene.as(UNNAMED.caller)
  await scene.attempt(UNNAMED, 'sessions.note firing', (plant) =>
    local.sessions.note({ id: sessionId, agent: MCP_AGENT, event: 'tool.after', firing: plant('firing', line) }),
  )
}

/** Whoever waits for a gate is told why it was there, and why it is closed. */
async function closeGates(scene: Scene, writer: Writer, agent: string): Promise<void> {
  const { gates } = scene.as(writer.caller)
  const timer = await scene.attempt(writer, 'gates.create timer', (plant) =>
    gates.create({ agent, kind: 'timer', mode: 'soft', afterMs: 1, waiters: READERS, reason: plant('reason') }),
  )
  const human = await scene.attempt(writer, 'gates.create waiters', (plant) =>
    gates.create({ agent, kind: 'human', waiters: READERS, reason: plant('reason') }),
  )
  await scene.attempt(writer, 'gates.create gate', (plant) =>
    gates.create({ agent, kind: 'gate', awaits: human?.id ?? '', waiters: READERS, reason: plant('reason') }),
  )
  await scene.attempt(writer, 'gates.create timeout', (plant) =>
    gates.create({
      agent,
      kind: 'human',
      timeoutMs: 1,
      remindEveryMs: 60_000,
      escalateTo: OTTO.caller.id,
      escalateAfterMs: 1,
      reason: plant('reason'),
    }),
  )
  await scene.attempt(PETRA, 'gates.resolve', (plant) =>
    scene.as(PETRA.caller).gates.resolve({ id: human?.id ?? '', reason: plant('reason') }),
  )
  await scene.attempt(writer, 'gates.resolve by its creator', (plant) =>
    gates.resolve({ id: timer?.id ?? '', reason: plant('reason') }),
  )
}

async function registerGates(scene: Scene, agent: string): Promise<void> {
  const writer = itself(agent)
  const { gates, sessions } = scene.as(writer.caller)
  const session = { sessionId: `s-${agent}` }
  await sessions.begin({ id: session.sessionId, agent, host: 'generic' })
  await scene.attempt(writer, 'gates.register', (plant) =>
    gates.register({ ...session, name: 'tests', mode: 'strict', reason: plant('reason') }),
  )
  await scene.attempt(writer, 'gates.register name', (plant) =>
    gates.register({ ...session, name: plant('name', { maxBytes: 60, isLine: true }), reason: plant('reason') }),
  )
  const passed = { ...session, agent, outcome: 'breached' } as const
  await scene.attempt(writer, 'gates.passed', (plant) =>
    gates.passed({ ...passed, names: ['tests'], evidence: plant('evidence', { maxBytes: 200 }) }),
  )
  await scene.attempt(writer, 'gates.passed names', (plant) =>
    gates.passed({ ...passed, names: [plant('names', { maxBytes: 60, isLine: true })], evidence: 'x' }),
  )
}

async function askQuestions(scene: Scene): Promise<void> {
  for (const reader of READERS) {
    const writer = itself(reader)
    const ask = (name: string) =>
      scene.attempt(writer, name, (plant) => scene.as(writer.caller).decisions.create(question(plant, reader)))
    const open = await ask('decisions.create')
    if (!scene.chosen.includes(reader)) continue
    const answered = await ask('decisions.create')
    const cancelled = await ask('decisions.create')
    await scene.attempt(PETRA, 'decisions.respond', (plant) =>
      scene.as(PETRA.caller).decisions.respond({ id: answered?.id ?? '', select: 'a', text: plant('text') }),
    )
    await scene.attempt(writer, 'decisions.cancel', (plant) =>
      scene.as(writer.caller).decisions.cancel({ id: cancelled?.id ?? '', reason: plant('reason') }),
    )
    await scene.attempt(OTTO, 'decisions.respond refused', (plant) =>
      scene.as(OTTO.caller).decisions.respond({ id: open?.id ?? '', select: plant('select', { maxBytes: 60 }) }),
    )
  }
  await scene.attempt(MORTA, 'decisions.create', (plant) =>
    scene.as(MORTA.caller).decisions.create(question(plant, MORTA.caller.id)),
  )
  await scene.attempt(MORTA, 'decisions.create key', (plant) =>
    scene.as(MORTA.caller).decisions.create({
      question: 'x',
      options: [{ key: plant('key', { maxBytes: 60, isLine: true }), label: plant('label') }],
    }),
  )
}

function question(plant: Plant, agent: string) {
  return {
    agent,
    question: plant('question', { maxBytes: 300 }),
    context: plant('context'),
    options: [
      { key: 'a', label: plant('label', { maxBytes: 100 }), description: plant('description', { maxBytes: 200 }) },
      { key: 'b', label: 'No' },
    ],
    allowsText: true,
    ask: [PETRA.caller.id],
  }
}

async function talkInSpaces(scene: Scene): Promise<void> {
  const members = [...READERS, PETRA, MORTA, MOLDO].map((each) => (typeof each === 'string' ? each : each.caller.id))
  await scene.as(PETRA.caller).spaces.create({ id: 'plain', name: 'Plain', members })
  for (const writer of [PETRA, MORTA, MOLDO]) {
    const { spaces } = scene.as(writer.caller)
    const id = `of-${writer.caller.id}`
    await scene.attempt(writer, 'spaces.create', (plant) =>
      spaces.create({ id, name: plant('name', { isName: true, maxBytes: 100 }), members }),
    )
    await scene.attempt(writer, 'spaces.post', (plant) => spaces.post({ id: 'plain', content: plant('content') }))
    await scene.attempt(writer, 'spaces.post in a named space', (plant) =>
      spaces.post({ id, content: plant('content') }),
    )
  }
}

async function setPlans(scene: Scene): Promise<void> {
  const { plans } = scene.as(PETRA.caller)
  // The store does not keep how far it was known who set a plan.
  const petra: Writer = { ...PETRA, author: { id: PETRA.caller.id, isVerified: false } }
  for (const agent of scene.chosen) {
    for (const [at, when] of [{ runAfter: '5 hours' }, { cron: '0 9 * * *' }].entries()) {
      const set = await scene.attempt(petra, 'plans.set', (plant) =>
        plans.set({ plans: [{ agent, name: `plan-${at}`, instruction: plant('instruction'), ...when }] }),
      )
      await scene.attempt(petra, 'plans.run', () => plans.run({ id: set?.[0]?.id ?? '' }))
    }
    await scene.attempt(petra, 'plans.set name', (plant) =>
      plans.set({
        plans: [{ agent, name: plant('name', { isName: true, maxBytes: 80 }), instruction: 'x', runAfter: '1 hour' }],
      }),
    )
  }
}

async function triggerServices(scene: Scene): Promise<void> {
  const { services } = scene.as(PETRA.caller)
  for (const agent of READERS) {
    const { key } = await services.create({ name: 'builds', agent })
    const author: Author = { id: 'builds', isVerified: true }
    await scene.attempt({ ...CIBOT, author }, 'services.trigger', (plant) =>
      scene.postern.services.trigger({
        agent,
        proof: { key },
        payload: { [plant('payload key', { maxBytes: 60 })]: plant('payload') },
        subject: plant('subject', { maxBytes: 200 }),
      }),
    )
    await scene.attempt({ ...CIBOT, author }, 'services.trigger in words', (plant) =>
      scene.postern.services.trigger({ agent, proof: { key }, payload: plant('payload'), deliveryId: 'one' }),
    )
  }
  await scene.attempt(PETRA, 'services.create name', (plant) =>
    services.create({ name: plant('name', { isName: true, maxBytes: 60 }), agent: MCP_AGENT }),
  )
}

const MCP_AGENT = 'at-mcp'

async function writeBuses(scene: Scene): Promise<void> {
  for (const writer of [PETRA, MORTA, MOLDO]) {
    const { bus } = scene.as(writer.caller)
    const author: Author = { id: writer.author.id }
    for (const type of ['FACT', 'ISSUE'])
      await scene.attempt({ ...writer, author }, 'bus.post', (plant) =>
        bus.post({
          project_id: 'shop',
          type,
          issue_id: `i-${writer.caller.id}`,
          body: plant('body', { maxBytes: 1_500 }),
          meta: { [plant('meta key', { maxBytes: 60 })]: plant('meta', { maxBytes: 300 }) },
          links: [{ kind: plant('link kind', { maxBytes: 60, isLine: true }), path: 'a.txt' }],
          attachments: [{ name: 'a.txt', data: 'eA==', label: plant('attachment label', { maxBytes: 100 }) }],
          to: READERS,
        }),
      )
    await scene.attempt({ ...writer, author }, 'bus.post options', (plant) =>
      bus.post({
        project_id: 'shop',
        type: 'QUESTION',
        message: plant('message'),
        ask: [PETRA.caller.id],
        options: [{ key: 'a', label: plant('label', { maxBytes: 100 }), description: plant('description') }],
      }),
    )
    await scene.attempt({ ...writer, author }, 'bus.post question', (plant) =>
      bus.post({ project_id: 'shop', type: 'QUESTION', body: plant('body'), ask: [PETRA.caller.id] }),
    )
    for (const field of ['path', 'url'])
      await scene.attempt({ ...writer, author }, `bus.post link ${field}`, (plant) =>
        bus.post({ project_id: 'shop', body: 'x', links: [{ kind: 'see', [field]: plant(field, { maxBytes: 100 }) }] }),
      )
    for (const field of ['type', 'run_id', 'issue_id', 'attachment_path'] as const)
      await scene.attempt({ ...writer, author }, `bus.post ${field}`, (plant) =>
        bus.post({ project_id: 'shop', body: 'x', [field]: plant(field, { maxBytes: 60, isLine: true }) }),
      )
  }
}

async function leaveItems(scene: Scene): Promise<void> {
  const { project } = scene
  const petra = scene.as(PETRA.caller)
  await petra.handoff.init({ project })
  const own: Writer = { ...MORTA, author: A_FILE }
  const morta = scene.as(MORTA.caller)
  // Over the network an agent leaves items only in projects in which a process of this machine began a session for it.
  const { pid } = process
  const session = { id: 's-morta-here', agent: MORTA.caller.id, pid, pidStartedAt: processStart(pid) ?? 1 }
  await scene.postern.sessions.begin({ ...session, project })
  await scene.attempt(own, 'handoff.leave', (plant) =>
    morta.handoff.leave({ project, type: 'learning', text: plant('text'), session: plant('session', SESSION) }),
  )
  await scene.attempt(MORTA, 'handoff.leave to', (plant) =>
    morta.handoff.leave({ project, type: 'thread', text: plant('text'), to: MCP_AGENT }),
  )
  await scene.attempt(PETRA, 'handoff.leave gate', (plant) =>
    petra.handoff.leave({ project, type: 'thread', text: plant('text'), to: MCP_AGENT, gate: true }),
  )
  for (const field of ['type', 'priority'] as const)
    await scene.attempt(PETRA, `handoff.leave ${field}`, (plant) =>
      petra.handoff.leave({ project, type: 'thread', text: 'x', [field]: plant(field, WORD) }),
    )
  await scene.attempt(PETRA, 'handoff.writeOut kind', (plant) =>
    petra.handoff.writeOut({ project, kind: plant('kind', WORD) as 'report', text: 'x', topic: 'x' }),
  )
  const { id: inheritance } = await petra.handoff.inherit({ project })
  await scene.attempt(PETRA, 'handoff.release', (plant) =>
    petra.handoff.release({ id: inheritance ?? '', reason: plant('reason', { maxBytes: 200 }) }),
  )
  await scene.attempt(own, 'handoff.writeOut', (plant) =>
    petra.handoff.writeOut({
      project,
      kind: 'report',
      text: plant('text'),
      topic: plant('topic', { isName: true, maxBytes: 80 }),
    }),
  )
  await scene.attempt(own, 'handoff file', async (plant) => {
    const inbox = join(project, 'inbox')
    mkdirSync(inbox, { recursive: true })
    const name = (field: string) => plant(field, { isName: true, maxBytes: 100 })
    const extra = quote(plant('extra', { isLine: true, maxBytes: 100 }))
    const matter = ['type: caution', `from_session: ${quote(name('from_session'))}`, 'priority: high', `note: ${extra}`]
    writeFileSync(join(inbox, 'with.md'), ['---', ...matter, '---', plant('body')].join('\n'))
    writeFileSync(join(inbox, 'without.md'), plant('raw'))
    writeFileSync(join(inbox, `${fileName(name('name'))}.md`), 'x')
  })
}

const WORD = { isLine: true, maxBytes: 60 } as const
const SESSION = { isName: true, maxBytes: 60 } as const

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function fileName(text: string): string {
  return text.replaceAll('/', '∕').slice(0, 60)
}

async function nameAgents(scene: Scene): Promise<void> {
  const { agents, tokens, sessions } = scene.as(PETRA.caller)
  for (let at = 0; at < 5; at++) {
    await scene.attempt(PETRA, 'agents.add', (plant) =>
      agents.add({ id: `named-${at}`, displayName: plant('displayName', { isName: true, maxBytes: 80 }) }),
    )
    await scene.attempt(PETRA, 'agents.rename', (plant) =>
      agents.rename({ id: MORTA.caller.id, displayName: plant('displayName', { isName: true, maxBytes: 80 }) }),
    )
  }
  await scene.attempt(PETRA, 'agents.add id', (plant) => agents.add({ id: plant('id', { maxBytes: 60 }) }))
  await scene.attempt(PETRA, 'tokens.create', (plant) =>
    tokens.create({ scope: 'agent:morta', label: plant('label', { isName: true, maxBytes: 80 }) }),
  )
  for (const field of ['id', 'host', 'project', 'machine'] as const)
    await scene.attempt(MORTA, `sessions.begin ${field}`, (plant) =>
      sessions.begin({ id: 's-morta', agent: 'morta', [field]: plant(field, { isName: true, maxBytes: 80 }) }),
    )
  await scene.attempt(MORTA, 'sessions.note machine', (plant) =>
    scene.as(MORTA.caller).sessions.note({
      id: 's-morta',
      agent: 'morta',
      event: 'tool.after',
      machine: plant('machine', WORD),
    }),
  )
}

async function writeLedger(scene: Scene): Promise<void> {
  for (const writer of [PETRA, MORTA]) {
    const { messages, notes, ledger } = scene.as(writer.caller)
    for (const to_agent of READERS)
      await scene.attempt(writer, 'messages.send', (plant) =>
        messages.send({
          to_agent,
          message_type: 'fyi',
          subject: plant('subject', { maxBytes: 200 }),
          payload: { [plant('payload key', { maxBytes: 60 })]: plant('payload') },
          context: { note: plant('context', { maxBytes: 200 }) },
          ref_id: plant('ref_id', { maxBytes: 60 }),
        }),
      )
    await scene.attempt(writer, 'messages.send type', (plant) =>
      messages.send({ to_agent: MCP_AGENT, message_type: plant('message_type', WORD), subject: 'x' }),
    )
    await scene.attempt(writer, 'ledger.emit type', (plant) =>
      ledger.emit({ topic: 'task:SHOP-1', type: plant('type', WORD), subject: 'x' }),
    )
    await scene.attempt(writer, 'notes.post', (plant) =>
      notes.post({ entity_id: 'SHOP-1', entity_type: 'task', note: plant('note'), notify: READERS }),
    )
    await scene.attempt(writer, 'ledger.emit', (plant) =>
      ledger.emit({
        topic: 'task:SHOP-1',
        type: 'task.blocked',
        subject: plant('subject', { maxBytes: 200 }),
        payload: { why: plant('payload') },
      }),
    )
  }
  await scene.attempt(MORTA, 'ledger.setProfile', (plant) =>
    scene.as(MORTA.caller).ledger.setProfile({
      agent: 'morta',
      bio: plant('bio', { maxBytes: 200 }),
      model: plant('model', { isName: true, maxBytes: 60 }),
    }),
  )
}

/** Somebody whom nobody here knows writes to the ledger what its protocol allows. */
async function strangersWrite(scene: Scene): Promise<void> {
  const { ctx, ledgers, postern } = scene
  const { store } = ctx
  const ledger = createLocalLedger({ store })
  const account = `0.0.${await store.transact((tx) => tx.ledger.nextNumber())}`
  const stranger: Writer = { caller: UNNAMED.caller, author: { id: account, isVerified: true } }
  const transaction = ledger.newTransaction(account)
  const memo = formatInboundMemo(account)
  const { topicId } = await ledger.createTopic({ memo, adminKey: null, submitKey: null, payer: account, transaction })
  const operator_id = `${topicId}@${account}`
  const write = (topic: string, text: string) =>
    store.transact(async (tx) => {
      const message = new TextEncoder().encode(text)
      const entries = await ledger
        .within(tx)
        .submit({ topicId: topic, message, payer: account, memo: '', mayChunk: true })
      const about = await tx.ledger.getTopic({ id: topic })
      if (about) await takeIn(ctx, ledgers, tx, about, entries)
    })
  await postern.ledger.setup({ agents: [MCP_AGENT] })
  const { identity } = await postern.ledger.profile({ agent: MCP_AGENT })
  await scene.attempt(stranger, 'hcs-10 request', (plant) =>
    write(
      identity.inboundTopicId,
      formatHcs10({ op: 'connection_request', operator_id, m: plant('m', { maxBytes: 300 }) }),
    ),
  )
  const [asked] = await postern.ledger.connections({ agent: MCP_AGENT })
  const { topicId: between } = await postern.ledger.accept({ id: asked?.id ?? '' })
  await scene.attempt(stranger, 'hcs-10 message', (plant) =>
    write(between ?? '', formatHcs10({ op: 'message', operator_id, data: plant('data', { maxBytes: 400 }) })),
  )
  await scene.attempt(stranger, 'hcs-10 transaction', (plant) =>
    write(
      between ?? '',
      formatHcs10({ op: 'transaction', operator_id, schedule_id: '0.0.77', data: plant('data', { maxBytes: 300 }) }),
    ),
  )
  await scene.attempt(stranger, 'an entry of no form', (plant) => write(identity.inboundTopicId, plant('text')))
  await scene.attempt(stranger, 'hcs-10 close', (plant) =>
    write(
      between ?? '',
      formatHcs10({ op: 'close_connection', operator_id, reason: plant('reason', { maxBytes: 300 }) }),
    ),
  )
  await useConnections(scene, { write, operator_id, inbound: identity.inboundTopicId })
  await ledger.close()
}

interface Stranger {
  readonly write: (topic: string, text: string) => Promise<void>
  readonly operator_id: string
  readonly inbound: string
}

/** What an agent says to a stranger, and why it wants no more of them. */
async function useConnections({ attempt, as }: Scene, { write, operator_id, inbound }: Stranger): Promise<void> {
  const writer = itself(MCP_AGENT)
  const { ledger } = as(writer.caller)
  const ask = async () => {
    await write(inbound, formatHcs10({ op: 'connection_request', operator_id, m: 'x' }))
    const connections = await ledger.connections({ agent: MCP_AGENT })
    return connections.find(({ state }) => state === 'requested')?.id ?? ''
  }
  const reason = { maxBytes: 300 }
  await attempt(writer, 'ledger.reject', async (plant) =>
    ledger.reject({ id: await ask(), reason: plant('reason', reason) }),
  )
  const { id } = await ledger.accept({ id: await ask() })
  await attempt(writer, 'ledger.say', (plant) => ledger.say({ connection: id, text: plant('text', { maxBytes: 400 }) }))
  await attempt(writer, 'ledger.disconnect', (plant) => ledger.disconnect({ id, reason: plant('reason', reason) }))
  await attempt(writer, 'ledger.connect', (plant) =>
    ledger.connect({ agent: MCP_AGENT, inbound_topic_id: plant('inbound_topic_id', { maxBytes: 60 }) }),
  )
}

const WRITERS = [
  nameAgents,
  pushMessages,
  fillSpools,
  fillSpoolTypes,
  setGates,
  setConditions,
  moveMessages,
  askQuestions,
  talkInSpaces,
  setPlans,
  triggerServices,
  writeBuses,
  leaveItems,
  writeLedger,
  strangersWrite,
]
