import { expect } from 'vitest'
import { type Caller, LOCAL_CALLER } from '../../src/model/caller.ts'
import type { Postern } from '../../src/model/postern.ts'
import { configWith } from '../helpers/config-with.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, refused, show } from './suite.ts'

const AGENTS = ['quinn', 'mindy', 'rex', { id: 'justin', kind: 'human' }] as const

conformance('what a program may know of', ({ rule, open }) => {
  rule('is what it sent, what it was sent and what everybody was sent', async () => {
    verifies('G16.visible')
    const { postern } = await open({ agents: AGENTS })
    const quinn = postern.as(caller('quinn'))
    const sent = await quinn.inbox.push({ to: ['mindy'], content: 'from quinn' })
    const got = await postern.as(caller('mindy')).inbox.push({ to: ['quinn', 'rex'], content: 'to quinn' })
    const all = await postern.as(caller('mindy')).inbox.push({ to: ['all'], content: 'to all' })
    for (const { id } of [sent, got, all]) {
      expect((await quinn.inbox.show({ id })).message.id).toBe(id)
      expect((await quinn.inbox.trace({ id })).message.id).toBe(id)
    }
    const found = await quinn.inbox.search({ query: 'quinn' })
    expect(found.map(({ id }) => id).sort()).toEqual([sent.id, got.id].sort())
    expect(await quinn.inbox.search({ query: 'all' })).toMatchObject([{ id: all.id }])
    expect(await quinn.inbox.search({ query: 'quinn', agent: 'rex' })).toMatchObject([{ id: got.id }])
    expect(await quinn.inbox.search({ query: 'quinn', agent: 'justin' })).toEqual([])
  })

  rule('leaves out what others say to each other, as if it were not there', async () => {
    verifies('G16.visible')
    const { postern } = await open({ agents: AGENTS })
    const { id } = await postern.as(caller('mindy')).inbox.push({ to: ['rex'], content: 'between us' })
    for (const outsider of [caller('quinn'), caller('quinn', 'service')]) {
      const { inbox } = postern.as(outsider)
      await refused(inbox.show({ id }), 'MESSAGE_NOT_FOUND')
      await refused(inbox.trace({ id }), 'MESSAGE_NOT_FOUND')
      await refused(inbox.waitFor({ id, stage: 'stored', timeoutMs: 0 }), 'MESSAGE_NOT_FOUND')
      await refused(inbox.cancel({ id }), 'MESSAGE_NOT_FOUND')
      expect(await inbox.search({ query: 'between' })).toEqual([])
    }
  })

  rule('leaves out of a thread what was not for it', async () => {
    verifies('G16.visible')
    const { postern } = await open({ agents: AGENTS })
    const mindy = postern.as(caller('mindy'))
    const first = await mindy.inbox.push({ to: ['quinn'], content: 'one' })
    await mindy.inbox.push({ to: ['rex'], content: 'two', replyTo: first.id })
    const { thread } = await postern.as(caller('quinn')).inbox.show({ id: first.id })
    expect(thread.map(({ content }) => content)).toEqual(['one'])
    expect((await mindy.inbox.show({ id: first.id })).thread).toHaveLength(2)
  })

  rule('is everything for people, and for whoever has shown no credential', async () => {
    const { postern } = await open({ agents: AGENTS })
    const { id } = await postern.as(caller('mindy')).inbox.push({ to: ['rex'], content: 'between us' })
    const unverified: Caller = { id: 'quinn', kind: 'ai', verified: false, via: 'cli' }
    for (const insider of [caller('justin', 'human'), unverified, postern.caller]) {
      const { inbox } = postern.as(insider)
      expect((await inbox.show({ id })).message.id).toBe(id)
      expect(await inbox.search({ query: 'between' })).toHaveLength(1)
    }
  })

  rule('are its own questions, and those for whose answers a gate of it waits', async () => {
    verifies('G16.visible')
    const { postern } = await open({ agents: AGENTS })
    const [quinn, mindy, rex] = ['quinn', 'mindy', 'rex'].map((id) => postern.as(caller(id))) as [
      Postern,
      Postern,
      Postern,
    ]
    const { id, gateId } = await mindy.decisions.create({ question: 'Which database?', context: 'between us' })
    await postern.gates.create({ agent: 'rex', kind: 'decision', awaits: id, reason: 'mindy asks first' })
    for (const insider of [mindy, rex, postern.as(caller('justin', 'human'))]) {
      expect((await insider.decisions.show({ id })).id).toBe(id)
    }
    await refused(quinn.decisions.show({ id }), 'DECISION_NOT_FOUND')
    await refused(quinn.decisions.await({ id, timeoutMs: 0 }), 'DECISION_NOT_FOUND')
    for (const of of [{}, { agent: 'mindy' }]) expect(await quinn.decisions.list({ ...of, all: true })).toEqual([])
    expect(await mindy.decisions.list()).toMatchObject([{ id }])
    expect(await quinn.gates.list({ all: true })).toEqual([])
    expect(await mindy.gates.list()).toMatchObject([{ id: gateId }])
    await postern.as(caller('justin', 'human')).decisions.respond({ id, text: 'PostgreSQL' })
    expect(await rex.decisions.show({ id })).toMatchObject({ state: 'answered' })
  })

  rule('are gates that hold it, that it has set, or that it is told of', async () => {
    verifies('G16.visible')
    const config = configWith({ allow: { gates: { quinn: ['mindy'] } } })
    const { postern } = await open({ agents: [...AGENTS, 'rtx', 'r_x'], config })
    const quinn = postern.as(caller('quinn'))
    const human = { kind: 'human', reason: 'wait' } as const
    const own = await postern.gates.create({ agent: 'quinn', ...human })
    const made = await quinn.gates.create({ agent: 'mindy', ...human })
    const told = await postern.gates.create({ agent: 'mindy', ...human, waiters: ['mindy', 'quinn'] })
    const higher = { escalateTo: 'quinn', escalateAfterMs: 60_000 }
    const escalated = await postern.gates.create({ agent: 'mindy', ...human, ...higher })
    const other = await postern.gates.create({ agent: 'mindy', ...human, waiters: ['rtx'] })
    const idsOf = async (gates: Promise<readonly { readonly id: string }[]>) => (await gates).map(({ id }) => id).sort()
    expect(await idsOf(quinn.gates.list())).toEqual([own, made, told, escalated].map(({ id }) => id).sort())
    expect(await idsOf(quinn.gates.list({ agent: 'mindy' }))).toEqual(
      [made, told, escalated].map(({ id }) => id).sort(),
    )
    expect(await idsOf(postern.as(caller('r_x')).gates.list())).toEqual([])
    expect(await idsOf(postern.as(caller('rtx')).gates.list())).toEqual([other.id])
    expect(await postern.gates.list()).toHaveLength(5)
    expect((await quinn.gates.show({ id: told.id })).gate.id).toBe(told.id)
    await refused(quinn.gates.show({ id: other.id }), 'GATE_NOT_FOUND')
  })

  rule('answers for a gate that it may not see as for one that does not exist, whatever the verb', async () => {
    verifies('G16.visible')
    const { postern } = await open({ agents: AGENTS })
    const other = await postern.gates.create({ agent: 'mindy', kind: 'timer', afterMs: 60_000, reason: 'between us' })
    const [unseen, absent] = [other.id, `gate_${'0'.repeat(26)}`]
    for (const outsider of [caller('quinn'), caller('rex', 'service')]) {
      const { gates, plans } = postern.as(outsider)
      const attempts = (id: string) => [
        () => gates.show({ id }),
        () => gates.check({ id }),
        () => gates.resolve({ id, reason: 'done' }),
        () => gates.waive({ id, reason: 'done' }),
        () => gates.create({ agent: outsider.id, kind: 'gate', awaits: id, reason: 'after it' }),
        () => plans.set({ plans: [{ agent: outsider.id, instruction: 'go', gate: id }] }),
      ]
      for (const id of [unseen, absent]) for (const attempt of attempts(id)) await refused(attempt(), 'GATE_NOT_FOUND')
    }
    expect((await postern.gates.show({ id: unseen })).gate.state).toBe('open')
  })

  rule('answers for a question that it may not see as for one that does not exist, whatever the verb', async () => {
    verifies('G16.visible')
    const { postern } = await open({ agents: AGENTS })
    const mindy = postern.as(caller('mindy'))
    const asked = await mindy.decisions.create({ question: 'Which database?', context: 'between us' })
    const ended = await mindy.decisions.create({ question: 'Which cloud?' })
    await postern.as(caller('justin', 'human')).decisions.respond({ id: ended.id, text: 'none' })
    const { decisions, gates } = postern.as(caller('quinn'))
    const attempts = (id: string) => [
      () => decisions.show({ id }),
      () => decisions.respond({ id, text: 'mine' }),
      () => decisions.cancel({ id }),
      () => decisions.await({ id, timeoutMs: 0 }),
      () => gates.create({ agent: 'quinn', kind: 'decision', awaits: id, reason: 'after it' }),
    ]
    for (const id of [asked.id, ended.id, `dec_${'0'.repeat(26)}`])
      for (const attempt of attempts(id)) await refused(attempt(), 'DECISION_NOT_FOUND')
    await refused(decisions.show({ id: asked.id }), 'DECISION_NOT_FOUND')
    expect(await gates.list({ all: true })).toEqual([])
  })

  rule('answers no message that it may not see, and waits for no reply to one', async () => {
    verifies('G16.visible')
    const { postern } = await open({ agents: AGENTS })
    const { id: unseen } = await postern.as(caller('mindy')).inbox.push({ to: ['rex'], content: 'between us' })
    const { inbox, gates } = postern.as(caller('quinn'))
    for (const id of [unseen, `msg_${'0'.repeat(26)}`]) {
      await refused(inbox.push({ to: ['rex'], content: 'me too', replyTo: id }), 'MESSAGE_NOT_FOUND')
      await refused(inbox.push({ to: ['all'], content: 'me too', replyTo: id }), 'MESSAGE_NOT_FOUND')
      await refused(
        gates.create({ agent: 'quinn', kind: 'message', awaits: id, reason: 'after it' }),
        'MESSAGE_NOT_FOUND',
      )
    }
  })

  rule('is that another is at work, and not in which session, machine, folder or process', async () => {
    verifies('G16.visible')
    const { postern } = await open({ agents: AGENTS })
    const process = { project: '/home/mindy/work', pid: 7, pidStartedAt: 1, machine: 'elsewhere' }
    await postern.sessions.begin({ id: 'ses-1', agent: 'mindy', ...process })
    const seenBy = async (who: Caller) => {
      const { agents } = postern.as(who)
      const listed = (await agents.list()).find(({ id }) => id === 'mindy')
      expect(await agents.show({ id: 'mindy' })).toEqual(listed)
      return listed
    }
    for (const outsider of [caller('quinn'), caller('ci', 'service')]) {
      const seen = await seenBy(outsider)
      expect(seen).toMatchObject({ liveness: 'unknown', session: null })
      expect(JSON.stringify(seen)).not.toMatch(/ses-1|elsewhere|work/)
    }
    for (const insider of [caller('mindy'), caller('justin', 'human'), LOCAL_CALLER]) {
      expect(await seenBy(insider)).toMatchObject({ liveness: 'unknown', session: { id: 'ses-1', ...process } })
    }
  })

  rule("has no offer of another agent's in it", async () => {
    verifies('G16.visible')
    const { postern } = await open({ agents: AGENTS })
    await postern.inbox.push({ to: ['quinn'], content: 'hello' })
    const { offerId } = await show(postern, { agent: 'quinn' })
    const { inbox } = postern.as(caller('mindy'))
    await refused(inbox.printed({ offerId }), 'OFFER_NOT_FOUND')
    await refused(inbox.confirm({ offerId, evidence: 'mine' }), 'OFFER_NOT_FOUND')
    await refused(inbox.release({ offerId, reason: 'mine' }), 'OFFER_NOT_FOUND')
    const confirmed = await postern.as(caller('quinn')).inbox.confirm({ offerId, evidence: 'read' })
    expect(confirmed.outcome).toBe('confirmed')
  })
})
