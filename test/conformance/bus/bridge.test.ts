import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../../scenarios/verifies.ts'
import { asAnna, asJustin, asQuinn, asRex, EVERYONE, mailOf } from '../gates/people.ts'
import { conformance, refused } from '../suite.ts'
import { bodies, foreign, PROJECT, say, scribble, TASK, TASK_FILE } from './buses.ts'

const OPTIONS = [
  { key: 'a', label: 'Postgres' },
  { key: 'b', label: 'SQLite', description: 'a file' },
]

conformance('a post that tells of itself', ({ rule, open }) => {
  rule('puts one message that points to it into every inbox', async () => {
    verifies('S002.tell')
    const { postern } = await open({ agents: EVERYONE })
    const before = await say(postern, 'earlier')
    const body = `The schema has changed.\n${'x'.repeat(600)}`
    const posted = await asQuinn(postern).bus.post({ ...TASK, type: 'FACT', body, to: ['rex', 'justin', 'rex'] })
    const { msg_id } = posted
    for (const agent of ['rex', 'justin']) {
      const [message, ...others] = await mailOf(postern, agent)
      expect(others).toEqual([])
      expect(message).toMatchObject({
        id: posted.messageId,
        type: 'bus.entry',
        from: { id: 'quinn' },
        to: ['justin', 'rex'],
        subject: 'FACT on conductor-loop/task-docs: The schema has changed.',
        payload: { ...TASK, msg_id, type: 'FACT' },
        ref: `bus:conductor-loop/task-docs:${msg_id}`,
        dedupKey: `bus:${msg_id}`,
      })
      const [who, first, rest, how] = message?.content.split('\n') ?? []
      expect([who, first]).toEqual([
        'quinn wrote a FACT on the bus of conductor-loop/task-docs:',
        'The schema has changed.',
      ])
      expect(`${first}\n${rest}`).toHaveLength(500)
      expect(how).toBe(
        `Read it with: postern bus read --project conductor-loop --task task-docs --after ${before} --limit 1`,
      )
    }
    expect((await postern.bus.read({ ...TASK, after: before, limit: 1 })).items).toMatchObject([{ msg_id, body }])
  })

  rule('goes nowhere where one of them is unknown', async () => {
    verifies('S002.tell')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    await refused(say(postern, 'x', { to: ['rex', 'nobody'] }), 'AGENT_NOT_FOUND')
    await refused(say(postern, 'x', { to: ['No One'] }), 'AGENT_ID_INVALID')
    expect([existsSync(busRoot), await mailOf(postern, 'rex')]).toEqual([false, []])
  })

  rule('stands on the bus also where nobody could be told', async () => {
    verifies('S002.tell')
    const { postern } = await open({ agents: EVERYONE, limits: { pendingPerAgent: 1 } })
    await postern.inbox.push({ to: ['rex'], content: 'full' })
    const posted = await postern.bus.post({ ...PROJECT, body: 'a\0b', to: ['rex'] })
    expect(posted).toMatchObject({
      messageId: null,
      warnings: [expect.stringMatching(/rex could not be told: .*full/)],
    })
    expect(bodies(await postern.bus.read(PROJECT))).toEqual(['a\0b'])
    const told = await postern.bus.post({ ...PROJECT, body: 'a\0b', to: ['justin'] })
    expect(told).toMatchObject({ messageId: expect.stringMatching(/^msg_/), warnings: [] })
  })

  rule('points to itself, also where others write at the same time', async () => {
    verifies('S002.tell')
    const { postern } = await open({ agents: EVERYONE })
    const said = Array.from({ length: 8 }, (_, at) => `${at}`)
    await Promise.all(said.map((body) => say(postern, body, { to: ['rex'] })))
    for (const { content, payload } of await mailOf(postern, 'rex')) {
      const [, flag, after = ''] = /--(after|tail) (\S+) --limit 1$/.exec(content) ?? []
      const { items } = await postern.bus.read({ ...TASK, ...(flag === 'after' && { after }), limit: 1 })
      expect(payload).toMatchObject({ msg_id: items[0]?.msg_id })
    }
  })

  rule('is cut between characters, and never within one', async () => {
    verifies('S002.tell', 'S002.ask')
    const { postern } = await open({ agents: EVERYONE })
    const body = `${'x'.repeat(118)}${'😀'.repeat(9)}`
    expect(await postern.bus.post({ ...TASK, body, to: ['rex'] })).toMatchObject({ warnings: [] })
    await asQuinn(postern).bus.post({ ...TASK, type: 'QUESTION', body, ask: ['justin'] })
    expect(await postern.decisions.list({})).toMatchObject([{ question: body, state: 'open' }])
  })

  rule('says for whom its message is held, as programs are damped that write too often', async () => {
    verifies('S002.tell')
    const { postern } = await open({ agents: EVERYONE, limits: { pairBurst: 1, pairPerMinute: 1 } })
    const tell = () => asQuinn(postern).bus.post({ ...TASK, body: 'Again!', to: ['rex', 'justin'] })
    expect(await tell()).toMatchObject({ warnings: [] })
    expect(await tell()).toMatchObject({ warnings: [expect.stringMatching(/held for justin, rex/)] })
    expect((await mailOf(postern, 'rex')).map(({ state }) => state).sort()).toEqual(['held', 'pending'])
  })

  rule('puts no id of others into a command unless it can be nothing else', async () => {
    verifies('S002.tell')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    scribble(busRoot, TASK_FILE, foreign('"$(rm -rf ~)"', 'x'))
    await say(postern, 'x', { to: ['rex'] })
    const [message] = await mailOf(postern, 'rex')
    expect(message?.content).toMatch(/--task task-docs --tail 20$/)
  })
})

conformance('a question on a bus', ({ rule, open }) => {
  const ask = (postern: Parameters<typeof asQuinn>[0], more = {}) =>
    asQuinn(postern).bus.post({
      ...TASK,
      type: 'QUESTION',
      body: 'Which store?',
      ask: ['justin'],
      options: OPTIONS,
      ...more,
    })

  const answerTo = (msg_id: string, more = {}) => ({
    ...TASK,
    type: 'ANSWER',
    parents: [{ msg_id, kind: 'answers' }],
    ...more,
  })

  rule('opens a decision that the entry names, and is answered on the bus', async () => {
    verifies('S002.ask')
    const { postern } = await open({ agents: EVERYONE })
    const { msg_id, decisionId } = await ask(postern)
    const id = decisionId ?? ''
    expect(await postern.decisions.show({ id })).toMatchObject({
      agent: 'quinn',
      question: 'Which store?',
      context: 'Asked on the bus of conductor-loop/task-docs.',
      asked: ['justin'],
      state: 'open',
    })
    const answer = await asJustin(postern).bus.post(answerTo(msg_id, { body: 'It is enough.', select: 'b' }))
    expect(answer.decisionId).toBe(id)
    expect(await postern.decisions.show({ id })).toMatchObject({
      state: 'answered',
      answer: { by: 'justin', selected: 'b', text: 'It is enough.' },
    })
    expect((await postern.bus.read(TASK)).items).toMatchObject([
      { type: 'QUESTION', meta: { from: 'quinn', decision_id: id, options: { a: 'Postgres', b: 'SQLite' } } },
      { type: 'ANSWER', meta: { from: 'justin', decision_id: id, selected: 'b' }, body: 'It is enough.' },
    ])
    expect((await mailOf(postern, 'quinn')).map(({ dedupKey }) => dedupKey)).toEqual([`decision:${id}`])
  })

  rule('may be answered by text where it has no options, and by the option alone where it has', async () => {
    verifies('S002.ask')
    const { postern } = await open({ agents: EVERYONE })
    const open_ = await ask(postern, { options: undefined })
    await asJustin(postern).bus.post({ ...TASK, type: 'answer', parents: [open_.msg_id], body: 'Neither.' })
    const chosen = await ask(postern, { body: 'And now?' })
    await refused(asJustin(postern).bus.post(answerTo(chosen.msg_id, { body: 'Neither.' })), 'OPTION_UNKNOWN')
    await refused(asJustin(postern).bus.post(answerTo(chosen.msg_id, { select: 'c' })), 'OPTION_UNKNOWN')
    await asJustin(postern).bus.post(answerTo(chosen.msg_id, { select: 'b' }))
    const answers = (await postern.bus.read({ ...TASK, types: ['ANSWER'] })).items
    expect(answers.map(({ body }) => body)).toEqual(['Neither.', 'b) SQLite (a file)'])
    const decisions = await postern.decisions.list({ all: true })
    expect(decisions.map(({ answer }) => answer?.text ?? answer?.selected).sort()).toEqual(['Neither.', 'b'])
  })

  rule('is answered once, by somebody who was asked, and whoever is too late writes nothing', async () => {
    verifies('S002.ask')
    const { postern } = await open({ agents: EVERYONE })
    const { msg_id } = await ask(postern, { ask: ['justin', 'anna'], options: undefined })
    await refused(asRex(postern).bus.post(answerTo(msg_id, { body: 'Me!' })), 'DECISION_NOT_FOUND')
    await refused(asQuinn(postern).bus.post(answerTo(msg_id, { body: 'Myself.' })), 'NOT_ALLOWED')
    const races = await Promise.allSettled([
      asJustin(postern).bus.post(answerTo(msg_id, { body: 'Justin' })),
      asAnna(postern).bus.post(answerTo(msg_id, { body: 'Anna' })),
    ])
    expect(races.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const lost = races.find((race) => race.status === 'rejected')
    expect(lost).toMatchObject({ reason: { code: 'DECISION_CLOSED' } })
    const [entry, ...others] = (await postern.bus.read({ ...TASK, types: ['ANSWER'] })).items
    expect(others).toEqual([])
    const [decision] = await postern.decisions.list({ all: true })
    expect(entry).toMatchObject({ body: decision?.answer?.text, meta: { from: decision?.answer?.by } })
    // Whoever does not know whether it was written says the same again.
    const winner = decision?.answer?.by === 'anna' ? asAnna(postern) : asJustin(postern)
    await winner.bus.post(answerTo(msg_id, { body: entry?.body }))
    await refused(winner.bus.post(answerTo(msg_id, { body: 'No, wait.' })), 'DECISION_CLOSED')
  })

  rule('is cut where a decision cannot hold it, and is the same question still', async () => {
    verifies('S002.ask')
    const { postern } = await open({ agents: EVERYONE })
    const body = `Which? ${'ä'.repeat(10_000)}`
    const { msg_id, decisionId } = await ask(postern, { body, options: undefined })
    const { question } = await postern.decisions.show({ id: decisionId ?? '' })
    expect(Buffer.byteLength(question)).toBeLessThanOrEqual(8_000)
    expect(question).toMatch(/^Which\? ä+…$/)
    const long = 'because '.repeat(4_000)
    await asJustin(postern).bus.post(answerTo(msg_id, { body: long }))
    expect(bodies(await postern.bus.read(TASK))).toEqual([body, long])
  })

  rule('opens nothing where it cannot be asked, or be written', async () => {
    verifies('S002.ask')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    await refused(ask(postern, { type: 'FACT' }), 'BUS_ENTRY_INVALID')
    await refused(ask(postern, { ask: undefined }), 'BUS_ENTRY_INVALID')
    await refused(ask(postern, { ask: ['rex'] }), 'NOT_ALLOWED')
    await refused(ask(postern, { ask: ['nobody'] }), 'AGENT_NOT_FOUND')
    await refused(ask(postern, { options: [{ key: 'no key', label: 'x' }] }), 'VALUE_INVALID')
    await refused(say(postern, 'Who asks?', { type: 'QUESTION', ask: ['justin'] }), 'USAGE')
    await refused(say(postern, 'x', { type: 'FACT', select: 'a' }), 'BUS_ENTRY_INVALID')
    const attachments = [{ data: 'YQ==' }]
    await refused(say(postern, 'x', { type: 'ANSWER', select: 'a', attachments }), 'BUS_ENTRY_INVALID')
    await refused(ask(postern, { ask: ['nobody'], attachments }), 'AGENT_NOT_FOUND')
    expect(await postern.decisions.list({ all: true })).toEqual([])
    expect(existsSync(busRoot)).toBe(false)

    scribble(busRoot, `${TASK_FILE}/x`, 'a folder where the file should be')
    await refused(ask(postern), 'BUS_UNUSABLE')
    expect(await postern.decisions.list({ all: true })).toMatchObject([{ state: 'cancelled' }])
  })

  rule('answers no other decision than its own, whatever a file says', async () => {
    verifies('S002.ask')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    const { id } = await asQuinn(postern).decisions.create({ question: 'Delete everything?', ask: ['justin'] })
    scribble(busRoot, TASK_FILE, foreign('MSG-forged', 'Tea?', { type: 'QUESTION', meta: `{ decision_id: ${id} }` }))
    const posted = await asJustin(postern).bus.post(answerTo('MSG-forged', { body: 'Yes' }))
    expect(posted).toMatchObject({ decisionId: null, warnings: [expect.stringMatching(/not answered/)] })
    expect(await postern.decisions.show({ id })).toMatchObject({ state: 'open' })
    await refused(asJustin(postern).bus.post(answerTo('MSG-forged', { select: 'a' })), 'BUS_ENTRY_INVALID')
  })

  rule('is taken for no other than it is: neither asked elsewhere, nor with other options', async () => {
    verifies('S002.ask')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    const forge = async (msgId: string, id: string | null, options: string) => {
      const meta = `{ decision_id: ${id}, options: ${options} }`
      scribble(busRoot, TASK_FILE, foreign(msgId, 'Which store?', { type: 'QUESTION', meta }))
      await refused(asJustin(postern).bus.post(answerTo(msgId, { select: 'a' })), 'BUS_ENTRY_INVALID')
      expect(await postern.decisions.show({ id: id ?? '' })).toMatchObject({ state: 'open' })
    }
    const { decisionId } = await ask(postern)
    await forge('MSG-other', decisionId, '{ a: SQLite, b: Postgres }')
    await forge('MSG-fewer', decisionId, '{ a: Postgres }')
    const { id } = await asQuinn(postern).decisions.create({
      question: 'Which store?',
      ask: ['justin'],
      options: OPTIONS,
    })
    await forge('MSG-elsewhere', id, '{ a: Postgres, b: SQLite }')
  })

  rule('stays open where its answer cannot be written', async () => {
    verifies('S002.ask')
    const { postern, busRoot } = await open({ agents: EVERYONE })
    const { msg_id, decisionId } = await ask(postern)
    const attachments = Array.from({ length: 40 }, () => ({ data: 'YQ==', label: 'x'.repeat(450) }))
    await refused(asJustin(postern).bus.post(answerTo(msg_id, { select: 'a', attachments })), 'BUS_ENTRY_INVALID')
    await refused(ask(postern, { attachments }), 'BUS_ENTRY_INVALID')
    expect(await postern.decisions.list({ all: true })).toMatchObject([{ id: decisionId, state: 'open' }])
    expect(existsSync(join(busRoot, dirname(TASK_FILE), 'attachments'))).toBe(false)
  })

  rule('needs no answer on the bus, and an answer to anything else is only an entry', async () => {
    verifies('S002.ask')
    const { postern } = await open({ agents: EVERYONE })
    const plain = await say(asQuinn(postern), 'Does anybody know?', { type: 'QUESTION' })
    expect(await asRex(postern).bus.post(answerTo(plain, { body: 'I do.' }))).toMatchObject({ decisionId: null })
    expect(await asRex(postern).bus.post(answerTo('MSG-nothing', { body: 'I do.' }))).toMatchObject({ warnings: [] })
    const { msg_id, decisionId } = await ask(postern)
    await asJustin(postern).decisions.respond({ id: decisionId ?? '', select: 'a' })
    await refused(asJustin(postern).bus.post(answerTo(msg_id, { select: 'b' })), 'DECISION_CLOSED')
    const related = { ...TASK, type: 'ANSWER', body: 'Beside.', parents: [{ msg_id, kind: 'relates_to' }] }
    expect(await asRex(postern).bus.post(related)).toMatchObject({ decisionId: null })
  })
})
