import type { Postern } from '../../../model/postern.ts'
import type { Priority } from '../../../model/priority.ts'
import { as, BUS, bringOn, type Name, note, PERSON, readMail, rest, SPACE } from './cast.ts'

/** A clock that the past is played on. */
export interface PastClock {
  pass(minutes: number): void
}

const MINUTES = 100

/** When the past begins, before now. */
export const PAST_MS = MINUTES * 60_000

const HOUR_MS = 60 * 60_000

type Line = readonly [from: Name, to: Name, subject: string, content: string, priority?: Priority]

const CHATTER: readonly Line[] = [
  ['quinn', 'mindy', 'Review wanted', 'The cart keeps its lines in order now. Please look at src/cart.ts.'],
  ['mindy', 'quinn', 'Two remarks', 'Line 40 swallows an error, and the total is rounded twice.'],
  ['tess', 'quinn', 'Is this true?', 'The guide says that carts live for a day. Is it not a week?', 3],
  ['quinn', 'tess', 'A week', 'Since last Tuesday. The constant is CART_DAYS.', 3],
  ['mindy', 'tess', 'Names', 'We say "basket" nowhere any more.', 4],
  ['justin', 'quinn', 'Before lunch', 'Please have the checkout branch green before lunch.', 1],
  ['quinn', 'mindy', 'Flaky test', 'payments.test.ts failed once in ten runs. Do you know it?'],
  ['mindy', 'quinn', 'I do', 'It waits for a port that may be taken. I have a fix on my branch.'],
]

/** What has happened in the last hours, so that whoever looks finds a team at work. */
export async function playPast(postern: Postern, clock: PastClock): Promise<void> {
  await bringOn(postern)
  await openRooms(postern)
  const pieces = [letters, workOnBus, gatesOfYesterday, services, plans, onTheLedger, whatWaits]
  const every = Math.floor(MINUTES / (CHATTER.length * 2 + pieces.length + 2))
  for (const [at, line] of [...CHATTER, ...CHATTER].entries()) {
    clock.pass(every)
    await send(postern, line)
    if (at % 3 === 2) await everybodyReads(postern, at)
  }
  for (const piece of pieces) {
    clock.pass(every)
    await piece(postern)
  }
  clock.pass(1)
  await rest(postern, 'mindy')
}

async function send(postern: Postern, [from, to, subject, content, priority = 2]: Line): Promise<string> {
  const { id } = await as(postern, from).inbox.push({ to: [to], type: 'mail', subject, content, priority })
  return id
}

async function everybodyReads(postern: Postern, at: number): Promise<void> {
  for (const name of ['quinn', 'mindy', 'tess'] as const) {
    await note(postern, name, 'prompt.submit')
    await readMail(postern, name, { isDealtWith: at % 2 === 0 })
  }
}

async function openRooms(postern: Postern): Promise<void> {
  const members = ['quinn', 'mindy', 'tess', 'rex', 'robin']
  const justin = as(postern, 'justin')
  await justin.spaces.create({ id: SPACE, name: 'Release 42', members })
  await justin.spaces.post({ id: SPACE, content: 'This is where we talk about release 42. Friday, if the gates open.' })
}

/** Mail of the person who looks. */
async function letters(postern: Postern): Promise<void> {
  const mail: readonly Line[] = [
    ['mindy', PERSON, 'The review of the checkout branch', 'Two remarks are left, both small. I would merge it today.'],
    [
      'tess',
      PERSON,
      'The guide for version 42',
      'A draft is in docs/guide.md. The part on refunds is a guess: who knows?',
      3,
    ],
    ['robin', PERSON, 'Lunch?', 'At one, the usual place.', 4],
    ['quinn', PERSON, 'Refunds', 'I found a rounding error of one cent in refunds of more than 10,000 lines.', 1],
  ]
  for (const line of mail) await send(postern, line)
  await as(postern, 'robin').inbox.push({
    to: ['all'],
    content: 'The test machines are restarted at six.',
    priority: 3,
  })
}

async function workOnBus(postern: Postern): Promise<void> {
  const [quinn, mindy] = [as(postern, 'quinn').bus, as(postern, 'mindy').bus]
  const issue = async (id: string, body: string, waitsFor: readonly string[] = []) =>
    quinn.post({
      ...BUS,
      type: 'ISSUE',
      issue_id: id,
      body,
      ...(waitsFor.length > 0 && { parents: waitsFor.map((msg_id) => ({ msg_id, kind: 'depends_on' })) }),
    })
  await quinn.post({ project_id: BUS.project_id, type: 'FACT', body: 'Node 24 is the oldest that we run on.' })
  await quinn.post({ ...BUS, type: 'START', run_id: 'run-1042', body: 'quinn begins with the checkout.' })
  const cart = await issue('HB-1', 'The cart loses its order')
  const totals = await issue('HB-2', 'Totals are rounded twice', [cart.msg_id])
  const refunds = await issue('HB-3', 'Refunds are wrong by one cent', [totals.msg_id])
  await issue('HB-4', 'The guide says nothing about refunds', [refunds.msg_id])
  await issue('HB-5', 'Release 42', [refunds.msg_id, totals.msg_id])
  await quinn.post({
    ...BUS,
    type: 'INFO',
    issue_id: 'HB-1',
    body: 'Lines are kept in a list.',
    meta: { status: 'done' },
  })
  const asked = await mindy.post({ ...BUS, type: 'QUESTION', body: 'Are totals in cents or in units?' })
  await quinn.post({ ...BUS, type: 'ANSWER', body: 'In cents, everywhere.', parents: [asked.msg_id] })
  await mindy.post({ ...BUS, type: 'OBSERVATION', issue_id: 'HB-2', body: 'The second rounding is in `formatTotal`.' })
}

async function gatesOfYesterday(postern: Postern): Promise<void> {
  const justin = as(postern, 'justin').gates
  const green = await justin.create({ agent: 'quinn', kind: 'human', reason: 'Wait until the branch is green.' })
  await justin.resolve({ id: green.id, reason: 'It is.' })
  const notes = await justin.create({
    agent: 'tess',
    kind: 'human',
    mode: 'soft',
    reason: 'Ask Robin about the wording.',
  })
  await justin.waive({ id: notes.id, reason: 'Robin is away, and it is only wording.' })
}

async function services(postern: Postern): Promise<void> {
  const justin = as(postern, 'justin').services
  const ci = await justin.create({ name: 'ci', agent: 'quinn' })
  await justin.create({ name: 'sentry', agent: 'rex' })
  for (const build of [481, 482]) {
    const payload = { build, branch: 'checkout', status: build === 481 ? 'failure' : 'success' }
    const subject = `build ${build}: ${payload.status}`
    await postern.services.trigger({ agent: 'quinn', proof: { key: ci.key }, payload, subject })
  }
}

async function plans(postern: Postern): Promise<void> {
  await postern.plans.set({
    plans: [
      {
        agent: 'mindy',
        name: 'stand-up',
        instruction: 'Say in the space what you did and what is next.',
        cron: '0 9 * * 1-5',
      },
      {
        agent: 'quinn',
        name: 'watch the deploy',
        instruction: 'Look at the error rate after the deploy.',
        runAfter: '2 hours',
      },
      { agent: 'tess', name: 'dead links', instruction: 'Look for links that lead nowhere.', cron: '30 6 * * 1' },
    ],
  })
  await postern.plans.run({ id: 'stand-up', agent: 'mindy' })
  await postern.plans.pause({ id: 'dead links', agent: 'tess' })
}

async function onTheLedger(postern: Postern): Promise<void> {
  const payload = { text: 'The tag v42.0.0-rc1 is the one that was tested.' }
  const sent = { to_agent: 'quinn', message_type: 'mail', subject: 'The tested tag', payload } as const
  await as(postern, 'mindy').messages.send(sent)
  const note = { entity_id: 'HB-3', entity_type: 'task', note: 'Seen with real data of last March.' } as const
  await as(postern, 'quinn').notes.post({ ...note, notify: ['mindy'] })
}

/** What nobody has done yet: a question, a gate, and a message to somebody who is away. */
async function whatWaits(postern: Postern): Promise<void> {
  await as(postern, 'mindy').inbox.push({
    to: ['rex'],
    type: 'alert',
    priority: 0,
    subject: 'The certificate of shop.example ends on Friday',
    content: 'Nobody but you can renew it. I will ask again tomorrow.',
  })
  await as(postern, 'justin').gates.create({
    agent: 'mindy',
    kind: 'human',
    reason: 'Do not merge before Robin has seen the new prices.',
    waiters: ['quinn'],
  })
  await as(postern, 'quinn').decisions.create({
    question: 'Refunds are wrong by one cent. Do we hold release 42 for it?',
    context:
      'It concerns refunds of more than 10,000 lines: three in the last year. The fix is small, but touches totals.',
    options: [
      { key: 'hold', label: 'Hold the release', description: 'Two days more; the fix is tested with everything else.' },
      { key: 'ship', label: 'Ship, fix in 42.1', description: 'The three customers are told by hand.' },
      { key: 'patch', label: 'Ship with the fix untested', description: 'Fast, and on your head.' },
    ],
    defaultOption: 'hold',
    deadlineMs: 4 * HOUR_MS,
    allowsText: true,
    ask: [PERSON],
  })
}
