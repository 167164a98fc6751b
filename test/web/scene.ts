import { type ConnectedPostern, connectPostern } from '../../src/client/connect.ts'
import type { Caller } from '../../src/model/caller.ts'

/** Everybody in the scene, each with a connection of their own. */
export interface Scene {
  readonly admin: ConnectedPostern
  readonly rosa: ConnectedPostern
  readonly quinn: ConnectedPostern
  readonly milo: ConnectedPostern
  readonly vera: ConnectedPostern
  readonly decisionId: string
  readonly gateId: string
  close(): Promise<void>
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE

const as = (id: string, kind: Caller['kind']): Caller => ({ id, kind, verified: true, via: 'http' })

/**
 * A morning of a small team: one person, three agents, a question that waits, a gate that holds, a conversation, a bus with
 * issues, plans, a service and entries on the ledger.
 */
export async function playScene(server: Address): Promise<Scene> {
  const admin = await connectPostern(server)
  const people = [
    ['rosa', 'human', 'Rosa Lind'],
    ['theo', 'human', 'Theo'],
    ['quinn', 'ai', 'Quinn'],
    ['milo', 'ai', 'Milo'],
    ['vera', 'ai', 'Vera'],
  ] as const
  for (const [id, kind, displayName] of people)
    await admin.agents.add({ id, kind, displayName, ...(id === 'rosa' && { isOwner: true }) })
  const { rosa, quinn, milo, vera } = castOf(admin)
  await beginSessions(admin)
  await sendMail({ rosa, quinn, milo, vera })
  const { decisionId, gateId } = await askAndHold({ rosa, quinn, milo, vera })
  await talk({ rosa, quinn, milo, vera })
  await writeBus({ quinn, milo, vera })
  await planAndServe(admin, rosa)
  await record({ quinn, milo, rosa })
  return { admin, rosa, quinn, milo, vera, decisionId, gateId, close: () => admin.close() }
}

/** Meets everybody of a scene that was played on this server's store before. */
export async function joinScene(server: Address, played: Pick<Scene, 'decisionId' | 'gateId'>): Promise<Scene> {
  const admin = await connectPostern(server)
  return { ...played, admin, ...castOf(admin), close: () => admin.close() }
}

interface Address {
  readonly url: string
  readonly token: string
}

type Cast = Pick<Scene, 'rosa' | 'quinn' | 'milo' | 'vera'>

function castOf(admin: ConnectedPostern): Cast {
  const [rosa, quinn, milo, vera] = [as('rosa', 'human'), as('quinn', 'ai'), as('milo', 'ai'), as('vera', 'ai')].map(
    (caller) => admin.as(caller),
  ) as [ConnectedPostern, ConnectedPostern, ConnectedPostern, ConnectedPostern]
  return { rosa, quinn, milo, vera }
}

async function beginSessions(admin: ConnectedPostern): Promise<void> {
  const sessions = [
    ['quinn', 'claude-code', '/src/shop'],
    ['milo', 'codex', '/src/shop-api'],
    ['vera', 'gemini', '/src/docs'],
  ] as const
  for (const [agent, host, project] of sessions) {
    await admin.sessions.begin({ id: `${agent}-4f2a`, agent, host, project, machine: 'anvil' })
  }
  await admin.sessions.setStop({ id: 'milo-4f2a', outcome: 'granted' })
}

async function sendMail({ rosa, quinn, milo, vera }: Cast): Promise<void> {
  const first = await quinn.inbox.push({
    to: ['rosa'],
    subject: 'Checkout tests are green again',
    content:
      'The flaky one was a **race in the cart**: two tabs wrote the same row.\n\n- fixed in `cart/merge.ts`\n- 412 tests, 0 failures\n- details: https://ci.example/builds/412\n\nI go on with the receipts unless you stop me.',
    ref: 'task:SHOP-118',
  })
  await rosa.inbox.push({
    to: ['quinn'],
    content: 'Good. Do the receipts, but leave the mail templates alone.',
    replyTo: first.id,
    subject: 'Re: Checkout tests are green again',
  })
  await milo.inbox.push({
    to: ['rosa'],
    type: 'alert',
    priority: 1,
    subject: 'The staging database is at 92 % of its disk',
    content:
      'It grows by about 3 GB a day since Monday. At this rate it is full **on Thursday night**.\n\n```\n/dev/sdb1  200G  184G  16G  92% /var/lib/postgresql\n```\nI can drop the old import tables (41 GB) when you say so.',
  })
  await vera.inbox.push({
    to: ['rosa'],
    type: 'task.blocked',
    subject: 'SHOP-121 waits for the API of the receipts',
    content: 'I cannot document what is not there yet. I take up the guide for webhooks meanwhile.',
    ref: 'task:SHOP-121',
  })
  await vera.inbox.push({
    to: ['rosa'],
    priority: 3,
    subject: 'Spelling of the guides',
    content: 'Went through all 38 guides: 112 small corrections, in one commit.',
  })
  await quinn.inbox.push({
    to: ['all'],
    type: 'event',
    subject: 'main is frozen until the release is out',
    content: 'From now until about 16:00. Push to branches only.',
  })
  await milo.inbox.push({
    to: ['rosa'],
    priority: 4,
    subject: 'Nightly import: 18,204 rows',
    content: 'No errors, 41 s.',
    attachments: [
      { name: 'import.log', path: '/var/log/import/2026-11-16.log', sha256: 'ab'.repeat(32), bytes: 48_211 },
    ],
    payload: { rows: 18_204, seconds: 41, skipped: 0 },
  })
  const drained = await quinn.inbox.drain({ agent: 'quinn', sessionId: 'quinn-4f2a', via: 'prompt.submit' })
  if (drained.offer) {
    await quinn.inbox.printed({ offerId: drained.offer.id })
    await quinn.inbox.confirm({ offerId: drained.offer.id, evidence: 'the next event of the session' })
  }
}

async function askAndHold({ rosa, quinn, milo, vera }: Cast): Promise<Pick<Scene, 'decisionId' | 'gateId'>> {
  const decision = await quinn.decisions.create({
    question: 'Which way do we send receipts?',
    context:
      'The provider that we have now drops support **at the end of the month**.\n\nOption *a* keeps our templates. Option *b* needs two days more, and we own the queue. See `docs/receipts.md`.',
    options: [
      {
        key: 'a',
        label: 'Stay, and pay for extended support',
        description: '€240 a month; nothing changes for customers.',
      },
      {
        key: 'b',
        label: 'Move to our own queue',
        description: 'Two days of work, no cost per mail. Quinn would do it.',
      },
      { key: 'c', label: 'Turn receipts off until the release', description: 'Customers find them in their account.' },
    ],
    defaultOption: 'a',
    deadlineMs: 5 * HOUR,
    allowsText: true,
    ask: ['rosa'],
  })
  const other = await vera.decisions.create({
    question: 'May I publish the guide for webhooks?',
    options: [
      { key: 'yes', label: 'Publish' },
      { key: 'no', label: 'Not yet' },
    ],
    ask: ['rosa'],
  })
  await rosa.decisions.respond({ id: other.id, select: 'yes', text: 'Yes, with the example in Go.' })
  const gate = await rosa.gates.create({
    agent: 'milo',
    kind: 'human',
    reason: 'Nobody deploys to production before the release notes are read.',
    hook: 'tool',
    tool: 'deploy*',
    waiters: ['quinn'],
  })
  await milo.gates.create({
    agent: 'milo',
    kind: 'timer',
    reason: 'Let the canary run for half an hour.',
    afterMs: 30 * MINUTE,
    mode: 'soft',
  })
  await rosa.gates.create({
    agent: 'quinn',
    kind: 'message',
    reason: 'Wait for the answer of the provider.',
    awaits: (await quinn.inbox.push({ to: ['milo'], content: 'Ask the provider for the end date.' })).id,
    timeoutMs: 24 * HOUR,
  })
  const done = await rosa.gates.create({ agent: 'vera', kind: 'human', reason: 'The screenshots must be new.' })
  await rosa.gates.resolve({ id: done.id, reason: 'They are.' })
  const waived = await rosa.gates.create({ agent: 'milo', kind: 'human', reason: 'Write a test for the import.' })
  await rosa.gates.waive({ id: waived.id, reason: 'The import goes away next week.' })
  return { decisionId: decision.id, gateId: gate.id }
}

async function talk({ rosa, quinn, milo, vera }: Cast): Promise<void> {
  await rosa.spaces.create({ id: 'release', name: 'Release 4.2', members: ['rosa', 'quinn', 'milo', 'vera'] })
  await rosa.spaces.create({ id: 'on-call', name: 'On call', members: ['rosa', 'milo'] })
  await rosa.spaces.post({ id: 'release', content: 'Good morning. Where are we?' })
  await quinn.spaces.post({ id: 'release', content: 'Checkout is **done**, receipts wait for a decision.' })
  await milo.spaces.post({ id: 'release', content: 'Staging runs `4.2.0-rc.3`. The disk is a worry: see my alert.' })
  await vera.spaces.post({
    id: 'release',
    content: 'Guides are ready but for webhooks:\n\n1. example in Go\n2. retries\n3. signatures',
  })
  const drained = await milo.inbox.drain({ agent: 'milo', via: 'prompt.submit' })
  if (drained.offer)
    await milo.inbox.confirm({ offerId: drained.offer.id, evidence: 'the next event of the session', printed: true })
  await rosa.spaces.post({
    id: 'release',
    content: 'Thank you. I look at the disk first. @milo drop the import tables, please.',
  })
  await milo.spaces.post({ id: 'on-call', content: 'Quiet night.' })
}

async function writeBus({ quinn, milo, vera }: Omit<Cast, 'rosa'>): Promise<void> {
  const shop = { project_id: 'shop', task_id: 'receipts' }
  await quinn.bus.post({ project_id: 'shop', type: 'INFO', body: 'Release 4.2 is planned for Thursday.' })
  await quinn.bus.post({ ...shop, type: 'START', body: 'Run began.', run_id: 'run_118' })
  const issue = (id: string, title: string, after: readonly string[] = [], status?: string) =>
    quinn.bus.post({
      ...shop,
      type: 'ISSUE',
      issue_id: id,
      body: title,
      parents: after.map((msg_id) => ({ msg_id, kind: 'depends_on' })),
      ...(status !== undefined && { meta: { status } }),
    })
  await issue('R-1', 'Choose the provider')
  await issue('R-2', 'Model of a receipt', [], 'done')
  await issue('R-3', 'Queue of outgoing mail', ['R-1'])
  await issue('R-4', 'Templates', ['R-2'])
  await issue('R-5', 'Send on checkout', ['R-3', 'R-4'])
  await issue('R-6', 'Guide for customers', ['R-4'])
  await issue('R-7', 'Release', ['R-5', 'R-6'])
  const question = await milo.bus.post({
    ...shop,
    type: 'QUESTION',
    body: 'Do receipts need the tax number of the customer?',
    issue_id: 'R-2',
  })
  await vera.bus.post({
    ...shop,
    type: 'ANSWER',
    body: 'Yes, within the EU, where they gave one.',
    parents: [{ msg_id: question.msg_id, kind: 'answers' }],
    issue_id: 'R-2',
  })
  await milo.bus.post({
    ...shop,
    type: 'FACT',
    body: 'The provider takes **50 mails a second** at most; measured over ten minutes.',
    links: [{ kind: 'source', url: 'https://provider.example/limits' }],
  })
  await quinn.bus.post({
    ...shop,
    type: 'WARNING',
    body: 'The old template has a customer name in its file name.',
    attachments: [
      {
        name: 'template-report.txt',
        data: Buffer.from('old template: ANNA.html\n').toString('base64'),
        mime: 'text/plain',
        label: 'Report',
      },
    ],
  })
  await milo.bus.post({
    ...shop,
    type: 'ERROR',
    body: 'The sandbox answered 503 for two minutes.\n\n```\n10:41:07 503 Service Unavailable\n```',
  })
  await quinn.bus.post({ ...shop, type: 'STOP', body: 'Run ended.', run_id: 'run_118', meta: { exit_code: 0 } })
}

async function planAndServe(admin: ConnectedPostern, rosa: ConnectedPostern): Promise<void> {
  await admin.plans.set({
    plans: [
      {
        agent: 'milo',
        name: 'nightly-import',
        instruction: 'Run the import and tell Rosa how many rows came.',
        cron: '30 2 * * *',
        zone: 'Europe/Berlin',
      },
      {
        agent: 'quinn',
        name: 'stand-up',
        instruction: 'Say in the space release what is done and what is next.',
        cron: '0 9 * * 1-5',
        zone: 'Europe/Berlin',
      },
      {
        agent: 'vera',
        name: 'look-at-links',
        instruction: 'Check all links of the guides.',
        cron: '0 6 * * 1',
        missed: 'skip',
      },
      { agent: 'quinn', name: 'thaw', instruction: 'Tell everybody that main is open again.', runAfter: '4 hours' },
    ],
  })
  const [plan] = await admin.plans.list({ agent: 'milo' })
  if (plan) await admin.plans.run({ id: plan.id })
  const links = await admin.plans.list({ agent: 'vera' })
  if (links[0]) await admin.plans.pause({ id: links[0].id })
  const ci = await rosa.services.create({ name: 'ci', agent: 'quinn' })
  await rosa.services.create({ name: 'alertmanager', agent: 'milo' })
  for (const status of ['success', 'failed', 'success'])
    await admin.services.trigger({
      agent: 'quinn',
      proof: { key: ci.key },
      payload: { status, build: { branch: 'main' } },
      subject: `Build ${status}`,
    })
}

async function record({ quinn, milo, rosa }: Pick<Scene, 'quinn' | 'milo' | 'rosa'>): Promise<void> {
  await rosa.ledger.setup({})
  await quinn.messages.send({
    to_agent: 'milo',
    message_type: 'task.handed-over',
    subject: 'The import is yours from now on',
    payload: { task: 'SHOP-130' },
  })
  await milo.messages.send({ to_agent: 'quinn', message_type: 'task.accepted', subject: 'Taken' })
  await quinn.notes.post({
    entity_id: 'SHOP-118',
    entity_type: 'task',
    note: 'Checkout merged; receipts are next.',
    notify: ['milo'],
  })
}
