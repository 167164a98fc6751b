import { expect } from 'vitest'
import type { Postern } from '../../../src/model/postern.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { presentOf, toldSince } from '../events/telling.ts'
import { caller, conformance, read, refused, stepsOf, tell } from '../suite.ts'
import {
  asAnalyst,
  asDesigner,
  asHusam,
  asOutsider,
  MEMBERS,
  mailOf,
  makeAlpha,
  saidIn,
  TEAM,
  wordsFor,
} from './alpha.ts'

const namesIn = ({ members }: { readonly members: readonly { readonly agent: string }[] }) =>
  members.map(({ agent }) => agent)

conformance('spaces', ({ rule, open }) => {
  rule('makes a space with its members, and the same again without a change', async () => {
    verifies('S001.space.members')
    const { postern, now, advance } = await open({ agents: TEAM })
    const createdAt = now()
    const made = await makeAlpha(postern)
    expect(made).toEqual({
      id: 'alpha',
      name: 'Project Alpha',
      joining: 'invited',
      history: 'joined',
      createdBy: 'husam',
      createdAt,
      closedAt: null,
      members: MEMBERS.map((agent) => ({ agent, joinedAt: createdAt })),
    })
    advance(1_000)
    expect(await makeAlpha(postern)).toEqual(made)
    expect(await asHusam(postern).spaces.create({ id: 'alpha' })).toEqual(made)
    await refused(asHusam(postern).spaces.create({ id: 'alpha', name: 'Another' }), 'SPACE_EXISTS')
    const more = await asHusam(postern).spaces.create({ id: 'alpha', members: ['outsider'] })
    expect(namesIn(more)).toEqual([...MEMBERS, 'outsider'])
  })

  rule('has whoever makes it as a member if it is an agent, and a name by default', async () => {
    verifies('S001.space.members')
    const { postern } = await open({ agents: TEAM })
    const own = await asAnalyst(postern).spaces.create({ id: 'own', members: ['husam'] })
    expect(own).toMatchObject({ name: 'own', createdBy: 'analyst' })
    expect(namesIn(own)).toEqual(['analyst', 'husam'])
    const local = await postern.spaces.create({ id: 'team', members: ['husam', 'designer', 'husam'] })
    expect(local).toMatchObject({ createdBy: 'local' })
    expect(namesIn(local)).toEqual(['designer', 'husam'])
    expect(namesIn(await postern.spaces.create({ id: 'empty' }))).toEqual([])
  })

  rule('carries a post of a person to three agents, and none to its author', async () => {
    verifies('S001.space.fan-out')
    const { postern, now } = await open({ agents: TEAM })
    await makeAlpha(postern)
    const posted = await asHusam(postern).spaces.post({ id: 'alpha', content: "Let's finalize the Q4 report" })
    expect(posted).toEqual({
      spaceId: 'alpha',
      duplicate: false,
      recipients: ['analyst', 'designer', 'developer'].map((agent) => ({ agent, state: 'pending' })),
      post: {
        seq: 1,
        messageId: expect.stringMatching(/^msg_/),
        from: { id: 'husam', kind: 'human', verified: true, via: 'sdk' },
        senderName: 'husam',
        content: "Let's finalize the Q4 report",
        priority: 2,
        replyTo: null,
        createdAt: now(),
      },
    })
    for (const agent of ['analyst', 'designer', 'developer']) {
      const [message, ...others] = await mailOf(postern, agent)
      expect(others).toEqual([])
      expect(message).toMatchObject({
        id: posted.post.messageId,
        type: 'space_message',
        from: { id: 'husam', kind: 'human' },
        to: ['analyst', 'designer', 'developer'],
        ref: 'space:alpha',
        content: "Let's finalize the Q4 report",
        payload: { spaceId: 'alpha', spaceName: 'Project Alpha', senderName: 'husam', senderType: 'human' },
        priority: 2,
        state: 'pending',
      })
    }
    expect(await mailOf(postern, 'husam')).toEqual([])
    expect(await mailOf(postern, 'outsider')).toEqual([])
  })

  rule('carries a post of an agent to people and agents, and none to itself', async () => {
    verifies('S001.space.fan-out')
    const { postern } = await open({ agents: [...TEAM, { id: 'jira', kind: 'service' }] })
    await makeAlpha(postern)
    const { post } = await asAnalyst(postern).spaces.post({ id: 'alpha', content: 'Revenue is up', priority: 1 })
    expect(await mailOf(postern, 'analyst')).toEqual([])
    for (const agent of ['designer', 'developer', 'husam']) {
      expect(await mailOf(postern, agent)).toMatchObject([
        { id: post.messageId, priority: 1, payload: { senderName: 'analyst', senderType: 'agent' } },
      ])
    }
    await postern.spaces.join({ id: 'alpha', agent: 'jira' })
    await postern.as(caller('jira', 'service')).spaces.post({ id: 'alpha', content: 'PROJ-123 was created' })
    expect((await mailOf(postern, 'husam')).at(-1)?.payload).toMatchObject({ senderType: 'service' })
  })

  rule('is posted in by a push to its address', async () => {
    verifies('S001.space.push')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    const designer = asDesigner(postern)
    const pushed = await designer.inbox.push({ to: ['space:alpha'], content: 'A draft', dedupKey: 'draft' })
    expect(pushed).toEqual({
      id: expect.stringMatching(/^msg_/),
      duplicate: false,
      recipients: ['analyst', 'developer', 'husam'].map((agent) => ({ agent, state: 'pending', duplicate: false })),
    })
    expect((await postern.spaces.history({ id: 'alpha' })).items).toMatchObject([{ messageId: pushed.id, seq: 1 }])
    const again = await designer.inbox.push({ to: ['space:alpha'], content: 'A draft', dedupKey: 'draft' })
    expect(again).toMatchObject({ id: pushed.id, duplicate: true })
    const many = await designer.inbox.pushMany({
      messages: [
        { to: ['space:alpha'], content: 'one' },
        { to: ['outsider'], content: 'aside' },
        { to: ['space:alpha'], content: 'two' },
      ],
    })
    expect(many.map(({ recipients }) => recipients.length)).toEqual([3, 1, 3])
    expect(await saidIn(postern, 'alpha')).toEqual(['A draft', 'one', 'two'])
  })

  rule('keeps the trace of a post on the message that carries it', async () => {
    verifies('S001.space.fan-out')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    const trace = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' }
    const { post } = await asHusam(postern).spaces.post({ id: 'alpha', content: 'x', trace })
    expect((await postern.inbox.show({ id: post.messageId })).message.trace).toMatchObject(trace)
  })

  rule('takes nothing in a push that a post cannot carry', async () => {
    verifies('S001.space.push')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    const push = (more: object) =>
      asHusam(postern).inbox.push({ to: ['space:alpha'], content: 'x', ...more } as { readonly content: string })
    for (const more of [
      { subject: 'x' },
      { type: 'alert' },
      { payload: {} },
      { context: {} },
      { ref: 'task:1' },
      { ttlMs: 1_000 },
      { create: true },
      { attachments: [{ name: 'a', sha256: '0'.repeat(64), bytes: 1 }] },
    ]) {
      await refused(push(more), 'VALUE_INVALID')
    }
    await refused(push({ to: ['space:alpha', 'designer'] }), 'ADDRESS_UNSUPPORTED')
    await refused(push({ to: ['space:beta'] }), 'SPACE_NOT_FOUND')
    await refused(push({ to: ['space:../x'] }), 'SPACE_ID_INVALID')
    const all = {
      messages: [
        { to: ['designer'], content: 'x' },
        { to: ['space:beta'], content: 'x' },
      ],
    }
    await refused(asHusam(postern).inbox.pushMany(all), 'SPACE_NOT_FOUND')
    expect(await saidIn(postern, 'alpha')).toEqual([])
    expect(await mailOf(postern, 'designer')).toEqual([])
    expect(await push({ type: 'space_message' })).toMatchObject({ duplicate: false })
  })

  rule('pushes no message where nobody else is in it, and keeps what was said', async () => {
    verifies('S001.space.fan-out')
    const { postern } = await open({ agents: TEAM })
    await asAnalyst(postern).spaces.create({ id: 'diary' })
    const posted = await asAnalyst(postern).spaces.post({ id: 'diary', content: 'Alone', dedupKey: 'a' })
    expect(posted).toMatchObject({ duplicate: false, recipients: [], post: { seq: 1 } })
    await refused(postern.inbox.show({ id: posted.post.messageId }), 'MESSAGE_NOT_FOUND')
    const again = await asAnalyst(postern).spaces.post({ id: 'diary', content: 'Alone', dedupKey: 'a' })
    expect(again).toEqual({ ...posted, duplicate: true })
    await postern.spaces.join({ id: 'diary', agent: 'husam' })
    const replyTo = posted.post.messageId
    const reply = await asHusam(postern).spaces.post({ id: 'diary', content: 'No longer', replyTo })
    expect(reply.post.replyTo).toBe(replyTo)
    expect(await mailOf(postern, 'analyst')).toMatchObject([{ replyTo: null, threadId: reply.post.messageId }])
  })

  rule('lets only members speak', async () => {
    verifies('S001.space.members')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    await asHusam(postern).spaces.create({ id: 'alpha', joining: 'open' })
    await refused(asOutsider(postern).spaces.post({ id: 'alpha', content: 'x' }), 'SPACE_NOT_MEMBER')
    await refused(postern.spaces.post({ id: 'alpha', content: 'x' }), 'USAGE')
    await refused(asHusam(postern).spaces.post({ id: 'alpha', content: ' ' }), 'CONTENT_EMPTY')
    await refused(asHusam(postern).spaces.post({ id: 'beta', content: 'x' }), 'SPACE_NOT_FOUND')
    await asOutsider(postern).spaces.join({ id: 'alpha' })
    await asOutsider(postern).spaces.post({ id: 'alpha', content: 'Hello' })
    await asOutsider(postern).spaces.leave({ id: 'alpha' })
    await refused(asOutsider(postern).spaces.post({ id: 'alpha', content: 'x' }), 'SPACE_NOT_MEMBER')
    expect(await saidIn(postern, 'alpha')).toEqual(['Hello'])
  })

  rule('reaches who joined from then on, and who left no more', async () => {
    verifies('S001.space.members')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    const say = (content: string) => asHusam(postern).spaces.post({ id: 'alpha', content })
    await say('before')
    expect(namesIn(await asHusam(postern).spaces.join({ id: 'alpha', agent: 'outsider' }))).toContain('outsider')
    const { members } = await asOutsider(postern).spaces.join({ id: 'alpha' })
    expect(members).toHaveLength(5)
    expect(namesIn(await asDesigner(postern).spaces.leave({ id: 'alpha' }))).not.toContain('designer')
    const again = await asHusam(postern).spaces.leave({ id: 'alpha', agent: 'designer' })
    expect(namesIn(again)).not.toContain('designer')
    await say('after')
    expect(await wordsFor(postern, 'outsider')).toEqual(['after'])
    expect(await wordsFor(postern, 'designer')).toEqual(['before'])
    expect(await wordsFor(postern, 'analyst')).toEqual(['before', 'after'])
  })

  rule('lets programs join, leave and enter for nobody but themselves', async () => {
    verifies('S001.space.rights')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    const outsider = asOutsider(postern)
    await refused(outsider.spaces.join({ id: 'alpha', agent: 'designer' }), 'NOT_ALLOWED')
    await refused(outsider.spaces.leave({ id: 'alpha', agent: 'designer' }), 'NOT_ALLOWED')
    await refused(outsider.spaces.enter({ id: 'alpha', agent: 'designer' }), 'NOT_ALLOWED')
    await refused(postern.spaces.join({ id: 'alpha' }), 'USAGE')
    await asHusam(postern).spaces.join({ id: 'alpha', agent: 'outsider' })
    expect(await outsider.spaces.join({ id: 'alpha', agent: 'outsider' })).toMatchObject({ id: 'alpha' })
    await refused(outsider.spaces.create({ id: 'alpha', members: ['outsider', 'nobody'] }), 'NOT_ALLOWED')
    expect(namesIn(await outsider.spaces.create({ id: 'alpha', members: ['designer'] }))).toContain('outsider')
    await asHusam(postern).spaces.leave({ id: 'alpha', agent: 'outsider' })
    await postern.spaces.enter({ id: 'alpha', agent: 'designer' })
    const own = await outsider.spaces.create({ id: 'own', members: ['designer'] })
    expect(namesIn(own)).toEqual(['designer', 'outsider'])
    expect(namesIn(await outsider.spaces.create({ id: 'own', members: ['analyst'] }))).toHaveLength(3)
  })

  rule('is closed by people and by its maker, and can then only be read and left', async () => {
    verifies('S001.space.closed')
    const { postern, now, advance } = await open({ agents: TEAM })
    await makeAlpha(postern)
    await asDesigner(postern).spaces.enter({ id: 'alpha' })
    await asHusam(postern).spaces.post({ id: 'alpha', content: 'The last word' })
    await refused(asDesigner(postern).spaces.close({ id: 'alpha' }), 'NOT_ALLOWED')
    await refused(asHusam(postern).spaces.close({ id: 'beta' }), 'SPACE_NOT_FOUND')
    const closed = await asHusam(postern).spaces.close({ id: 'alpha' })
    expect(closed.closedAt).toBe(now())
    advance(1_000)
    expect(await asHusam(postern).spaces.close({ id: 'alpha' })).toEqual(closed)
    await refused(asHusam(postern).spaces.post({ id: 'alpha', content: 'x' }), 'SPACE_CLOSED')
    await refused(asDesigner(postern).spaces.post({ content: 'x' }), 'SPACE_CLOSED')
    await refused(asHusam(postern).spaces.join({ id: 'alpha', agent: 'outsider' }), 'SPACE_CLOSED')
    await refused(asDesigner(postern).spaces.enter({ id: 'alpha' }), 'SPACE_CLOSED')
    await refused(makeAlpha(postern), 'SPACE_CLOSED')
    expect(namesIn(await asDesigner(postern).spaces.leave({ id: 'alpha' }))).not.toContain('designer')
    expect(await saidIn(postern, 'alpha')).toEqual(['The last word'])
    expect(await postern.spaces.list()).toEqual([])
    expect(await postern.spaces.list({ closed: true })).toMatchObject([{ id: 'alpha', closedAt: closed.closedAt }])
    await asAnalyst(postern).spaces.create({ id: 'own' })
    expect(await asAnalyst(postern).spaces.close({ id: 'own' })).toMatchObject({ closedAt: now() })
  })

  rule('is listed by id, of one member or all, with how much was said', async () => {
    verifies('S001.space.members')
    const { postern, now } = await open({ agents: TEAM })
    await asAnalyst(postern).spaces.create({ id: 'zeta', name: 'Z', members: ['husam'] })
    await makeAlpha(postern)
    await asHusam(postern).spaces.post({ id: 'alpha', content: 'x' })
    const rules = { joining: 'invited', history: 'joined' }
    const alpha = { id: 'alpha', name: 'Project Alpha', ...rules, createdBy: 'husam', createdAt: now(), closedAt: null }
    expect(await postern.spaces.list()).toEqual([
      { ...alpha, members: 4, posts: 1, lastPostAt: now() },
      { ...alpha, id: 'zeta', name: 'Z', createdBy: 'analyst', members: 2, posts: 0, lastPostAt: null },
    ])
    expect((await postern.spaces.list({ member: 'designer' })).map(({ id }) => id)).toEqual(['alpha'])
    expect(await postern.spaces.list({ member: 'outsider' })).toEqual([])
    await refused(postern.spaces.list({ member: 'A B' }), 'AGENT_ID_INVALID')
    await refused(postern.spaces.show({ id: 'beta' }), 'SPACE_NOT_FOUND')
    await refused(postern.spaces.show({ id: 'Beta!' }), 'SPACE_ID_INVALID')
  })

  rule('pages through what was said without skipping or repeating, backwards and onwards', async () => {
    verifies('S001.space.history')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    const said = Array.from({ length: 7 }, (_, i) => `word ${i + 1}`)
    for (const content of said) await asHusam(postern).spaces.post({ id: 'alpha', content })
    const page = async (more: object) => {
      const { items, earlier } = await postern.spaces.history({ id: 'alpha', ...more })
      return [items.map(({ seq }) => seq), earlier]
    }
    expect(await page({})).toEqual([[1, 2, 3, 4, 5, 6, 7], null])
    expect(await page({ limit: 3 })).toEqual([[5, 6, 7], 5])
    expect(await page({ limit: 3, before: 5 })).toEqual([[2, 3, 4], 2])
    expect(await page({ limit: 3, before: 2 })).toEqual([[1], null])
    expect(await page({ limit: 3, before: 1 })).toEqual([[], null])
    expect(await page({ limit: 3, after: 0 })).toEqual([[1, 2, 3], null])
    expect(await page({ limit: 3, after: 3 })).toEqual([[4, 5, 6], 4])
    expect(await page({ limit: 3, after: 7 })).toEqual([[], null])
    expect(await page({ limit: 2, after: 2, before: 7 })).toEqual([[5, 6], 5])
    expect(await page({ limit: 2, after: 2, before: 5 })).toEqual([[3, 4], null])
    for (const more of [{ limit: 0 }, { limit: 1_001 }, { limit: 1.5 }, { before: -1 }, { after: Number.NaN }]) {
      await refused(postern.spaces.history({ id: 'alpha', ...more }), 'VALUE_INVALID')
    }
    await refused(postern.spaces.history({ id: 'beta' }), 'SPACE_NOT_FOUND')
  })

  rule('is read by people, and by verified programs that are in it', async () => {
    verifies('S001.space.rights')
    const { postern } = await open({ agents: [...TEAM, { id: 'anna', kind: 'human' }] })
    await makeAlpha(postern)
    await asHusam(postern).spaces.post({ id: 'alpha', content: 'x' })
    await refused(asOutsider(postern).spaces.history({ id: 'alpha' }), 'SPACE_NOT_FOUND')
    expect(await saidIn(asAnalyst(postern), 'alpha')).toEqual(['x'])
    expect(await saidIn(postern.as(caller('anna', 'human')), 'alpha')).toEqual(['x'])
    expect(await saidIn(postern.as({ ...caller('outsider'), verified: false }), 'alpha')).toEqual(['x'])
    await asHusam(postern).spaces.create({ id: 'alpha', joining: 'open' })
    await refused(asOutsider(postern).spaces.history({ id: 'alpha' }), 'SPACE_NOT_MEMBER')
    expect(await asOutsider(postern).spaces.show({ id: 'alpha' })).toMatchObject({ name: 'Project Alpha' })
  })

  rule('is joined by invitation, unless its maker or a person has opened it', async () => {
    verifies('S001.space.invitation')
    const { postern } = await open({ agents: TEAM })
    const maker = asAnalyst(postern)
    expect(await maker.spaces.create({ id: 'own' })).toMatchObject({ joining: 'invited' })
    const unverified = postern.as({ ...caller('outsider'), verified: false })
    await refused(unverified.spaces.join({ id: 'own' }), 'NOT_ALLOWED')
    await refused(asOutsider(postern).spaces.join({ id: 'own' }), 'SPACE_NOT_FOUND')
    await refused(unverified.spaces.create({ id: 'own', members: ['outsider'] }), 'NOT_ALLOWED')
    await maker.spaces.create({ id: 'own', members: ['designer'] })
    await asHusam(postern).spaces.join({ id: 'own', agent: 'developer' })
    await asHusam(postern).spaces.join({ id: 'own' })
    for (const rules of [{ joining: 'open' }, { history: 'all' }] as const) {
      await refused(asDesigner(postern).spaces.create({ id: 'own', ...rules }), 'NOT_ALLOWED')
    }
    expect(await asDesigner(postern).spaces.create({ id: 'own', joining: 'invited' })).toMatchObject({ id: 'own' })
    expect(await maker.spaces.create({ id: 'own', joining: 'open' })).toMatchObject({
      joining: 'open',
      history: 'joined',
    })
    expect(namesIn(await asOutsider(postern).spaces.join({ id: 'own' }))).toContain('outsider')
    expect(await asHusam(postern).spaces.create({ id: 'own', joining: 'invited' })).toMatchObject({
      joining: 'invited',
    })
    await asOutsider(postern).spaces.leave({ id: 'own' })
    await refused(asOutsider(postern).spaces.join({ id: 'own' }), 'SPACE_NOT_FOUND')
    await maker.spaces.leave({ id: 'own' })
    expect(namesIn(await maker.spaces.join({ id: 'own' }))).toContain('analyst')
    const odd = { id: 'odd', joining: 'everybody' } as unknown as { readonly id: string }
    await refused(postern.spaces.create(odd), 'VALUE_INVALID')
  })

  rule('is answered to a stranger with a token as if it did not exist', async () => {
    verifies('S001.space.invitation', 'G16.visible')
    const { postern } = await open({ agents: [...TEAM, { id: 'jira', kind: 'service' }] })
    await makeAlpha(postern)
    await asHusam(postern).spaces.create({ id: 'lobby', joining: 'open' })
    const { post } = await asHusam(postern).spaces.post({ id: 'alpha', content: 'between us' })
    for (const stranger of [asOutsider(postern), postern.as(caller('jira', 'service'))]) {
      const { spaces, inbox } = stranger
      const replyTo = post.messageId
      for (const attempt of [
        (id: string) => spaces.show({ id }),
        (id: string) => spaces.join({ id }),
        (id: string) => spaces.leave({ id }),
        (id: string) => spaces.close({ id }),
        (id: string) => spaces.enter({ id }),
        (id: string) => spaces.history({ id }),
        (id: string) => spaces.post({ id, content: 'x', replyTo }),
        (id: string) => inbox.push({ to: [`space:${id}`], content: 'x' }),
      ]) {
        const [unseen, absent] = [
          await refused(attempt('alpha'), 'SPACE_NOT_FOUND'),
          await refused(attempt('none'), 'SPACE_NOT_FOUND'),
        ]
        expect(unseen.message.replace('alpha', 'none')).toBe(absent.message)
      }
      await refused(spaces.create({ id: 'alpha' }), 'SPACE_EXISTS')
      expect((await spaces.list()).map(({ id }) => id)).toEqual(['lobby'])
      expect((await spaces.list({ member: 'husam' })).map(({ id }) => id)).toEqual(['lobby'])
    }
    const seenBy = async (who: Postern) => (await who.spaces.list()).map(({ id }) => id)
    expect(await seenBy(asAnalyst(postern))).toEqual(['alpha', 'lobby'])
    expect(await seenBy(postern)).toEqual(['alpha', 'lobby'])
  })

  rule('shows a new member what is said from its joining on, unless it shows all', async () => {
    verifies('S001.space.invitation')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    const beginning = await presentOf(postern)
    const say = (content: string) => asHusam(postern).spaces.post({ id: 'alpha', content })
    const { post: early } = await say('one')
    await say('two')
    await asHusam(postern).spaces.join({ id: 'alpha', agent: 'outsider' })
    const outsider = asOutsider(postern)
    const page = async (more: object = {}) => {
      const { items, earlier } = await outsider.spaces.history({ id: 'alpha', ...more })
      return [items.map(({ content }) => content), earlier]
    }
    expect(await page()).toEqual([[], null])
    for (const content of ['three', 'four']) await say(content)
    expect(await page()).toEqual([['three', 'four'], null])
    expect(await page({ limit: 1 })).toEqual([['four'], 4])
    expect(await page({ limit: 1, before: 4 })).toEqual([['three'], null])
    expect(await page({ before: 3 })).toEqual([[], null])
    expect(await page({ after: 0 })).toEqual([['three', 'four'], null])
    expect(await page({ after: 0, before: 4 })).toEqual([['three'], null])
    const words = async () => (await outsider.spaces.enter({ id: 'alpha' })).history.map(({ content }) => content)
    expect(await words()).toEqual(['three', 'four'])
    const replyTo = early.messageId
    await refused(outsider.spaces.post({ id: 'alpha', content: 'x', replyTo }), 'MESSAGE_NOT_FOUND')
    const told = async () => {
      await toldSince(postern, beginning)
      return (await outsider.events.list({ after: beginning, types: ['space.posted'] })).items.map(({ data }) => data)
    }
    expect(await told()).toMatchObject([{ seq: 3 }, { seq: 4 }])
    expect(await saidIn(asAnalyst(postern), 'alpha')).toEqual(['one', 'two', 'three', 'four'])
    await outsider.spaces.leave({ id: 'alpha' })
    await asHusam(postern).spaces.join({ id: 'alpha', agent: 'outsider' })
    expect(await page()).toEqual([[], null])
    await asHusam(postern).spaces.create({ id: 'alpha', history: 'all' })
    expect(await page()).toEqual([['one', 'two', 'three', 'four'], null])
    expect(await words()).toHaveLength(4)
    expect(await told()).toHaveLength(4)
  })

  rule('is entered by members, who hear what was said last and post there from then on', async () => {
    verifies('S001.space.enter')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    await asHusam(postern).spaces.create({ id: 'beta', members: ['analyst'] })
    for (const content of ['one', 'two', 'three']) await asHusam(postern).spaces.post({ id: 'alpha', content })
    const analyst = asAnalyst(postern)
    await refused(analyst.spaces.post({ content: 'Where?' }), 'SPACE_NOT_ENTERED')
    await refused(postern.spaces.post({ content: 'Where?' }), 'SPACE_NOT_ENTERED')
    await refused(asOutsider(postern).spaces.enter({ id: 'alpha' }), 'SPACE_NOT_FOUND')
    await refused(analyst.spaces.enter({ id: 'alpha', limit: 0 }), 'VALUE_INVALID')
    const entered = await analyst.spaces.enter({ id: 'alpha', limit: 2 })
    expect(entered.space).toEqual(await postern.spaces.show({ id: 'alpha' }))
    expect(entered.history.map(({ content }) => content)).toEqual(['two', 'three'])
    expect(await analyst.spaces.post({ content: 'four' })).toMatchObject({ spaceId: 'alpha', post: { seq: 4 } })
    expect((await analyst.spaces.enter({ id: 'beta' })).history).toEqual([])
    expect(await analyst.spaces.post({ content: 'Hello' })).toMatchObject({ spaceId: 'beta' })
    expect(await analyst.spaces.post({ id: 'alpha', content: 'five' })).toMatchObject({ spaceId: 'alpha' })
    await analyst.spaces.leave({ id: 'alpha' })
    expect(await analyst.spaces.post({ content: 'Still' })).toMatchObject({ spaceId: 'beta' })
    await analyst.spaces.leave({ id: 'beta' })
    await refused(analyst.spaces.post({ content: 'Where?' }), 'SPACE_NOT_ENTERED')
  })

  rule('recognises a post by its key, of each author and space for itself', async () => {
    verifies('S001.space.dedup')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    await asHusam(postern).spaces.create({ id: 'beta', members: ['analyst'] })
    const say = { id: 'alpha', content: 'Once', dedupKey: 'key' }
    const first = await asHusam(postern).spaces.post(say)
    await asHusam(postern).spaces.join({ id: 'alpha', agent: 'outsider' })
    expect(await asHusam(postern).spaces.post(say)).toEqual({ ...first, duplicate: true })
    const earlier = first.post.messageId
    for (const other of [{ content: 'Twice' }, { priority: 0 as const }, { replyTo: earlier }]) {
      const { details } = await refused(asHusam(postern).spaces.post({ ...say, ...other }), 'DEDUP_CONFLICT')
      expect(details).toMatchObject({ key: 'key', agent: 'space:alpha', id: earlier })
    }
    expect(await asAnalyst(postern).spaces.post({ ...say, content: 'Mine' })).toMatchObject({ duplicate: false })
    expect(await asHusam(postern).spaces.post({ ...say, id: 'beta' })).toMatchObject({ duplicate: false })
    await asHusam(postern).inbox.push({ to: ['analyst'], content: 'Other', dedupKey: 'key' })
    expect(await saidIn(postern, 'alpha')).toEqual(['Once', 'Mine'])
    expect(await wordsFor(postern, 'outsider')).toEqual(['Mine'])
    expect(await wordsFor(postern, 'designer')).toEqual(['Once', 'Mine'])
  })

  rule('keeps the thread of a reply, also where the message that carried the post is long gone', async () => {
    verifies('S001.space.reply')
    const { postern, advance } = await open({ agents: TEAM, limits: { retentionMs: 1_000 } })
    await makeAlpha(postern)
    const { post } = await asHusam(postern).spaces.post({ id: 'alpha', content: 'Who?' })
    const replyTo = post.messageId
    const { post: reply } = await asAnalyst(postern).spaces.post({ id: 'alpha', content: 'I', replyTo })
    expect(reply.replyTo).toBe(replyTo)
    expect((await mailOf(postern, 'husam'))[0]).toMatchObject({ replyTo, threadId: replyTo, hops: 1 })
    const aside = await tell(postern, 'husam', 'aside')
    for (const stranger of [aside, 'msg_none', '\0', 'x'.repeat(300)]) {
      const attempt = asHusam(postern).spaces.post({ id: 'alpha', content: 'x', replyTo: stranger })
      await refused(attempt, 'MESSAGE_NOT_FOUND')
    }
    for (const agent of MEMBERS) await read(postern, agent)
    advance(3 * 24 * 3_600_000)
    await postern.upkeep.run()
    await refused(postern.inbox.show({ id: replyTo }), 'MESSAGE_NOT_FOUND')
    const late = await asDesigner(postern).spaces.post({ id: 'alpha', content: 'I too', replyTo })
    expect(late.post.replyTo).toBe(replyTo)
    const [carried] = (await mailOf(postern, 'husam')).filter(({ id }) => id === late.post.messageId)
    expect(carried).toMatchObject({ replyTo: null, hops: 0 })
    expect(await saidIn(postern, 'alpha')).toEqual(['Who?', 'I', 'I too'])
  })

  rule('opens a gate that waits for a reply to a post', async () => {
    verifies('S001.space.reply')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    const { post } = await asAnalyst(postern).spaces.post({ id: 'alpha', content: 'May I?' })
    const gate = await postern.gates.create({
      agent: 'analyst',
      kind: 'message',
      awaits: post.messageId,
      reason: 'Wait for an answer',
    })
    await asHusam(postern).spaces.post({ id: 'alpha', content: 'You may', replyTo: post.messageId })
    expect((await postern.gates.show({ id: gate.id })).gate.state).toBe('resolved')
  })

  rule('shows what an author is called when it speaks, and was called before', async () => {
    verifies('S001.space.names')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    await asHusam(postern).spaces.post({ id: 'alpha', content: 'one' })
    await postern.agents.rename({ id: 'husam', displayName: 'Husam' })
    await asHusam(postern).spaces.post({ id: 'alpha', content: 'two' })
    const { items } = await postern.spaces.history({ id: 'alpha' })
    expect(items.map(({ senderName, from }) => [senderName, from.id])).toEqual([
      ['husam', 'husam'],
      ['Husam', 'husam'],
    ])
    const mail = await mailOf(postern, 'analyst')
    expect(mail.map(({ payload }) => (payload as { readonly senderName: string }).senderName)).toEqual([
      'husam',
      'Husam',
    ])
  })

  rule('loses a removed agent, which gets no more posts and is no member when it comes back', async () => {
    verifies('S001.space.removed')
    const { postern } = await open({ agents: TEAM })
    await makeAlpha(postern)
    await asHusam(postern).spaces.create({ id: 'beta', members: ['designer'] })
    await asDesigner(postern).spaces.enter({ id: 'beta' })
    await asHusam(postern).spaces.post({ id: 'alpha', content: 'before' })
    await postern.agents.remove({ id: 'designer' })
    expect(await postern.spaces.list({ member: 'designer' })).toEqual([])
    const posted = await asHusam(postern).spaces.post({ id: 'alpha', content: 'after' })
    expect(posted.recipients.map(({ agent }) => agent)).toEqual(['analyst', 'developer'])
    await refused(asDesigner(postern).spaces.post({ id: 'alpha', content: 'x' }), 'SPACE_NOT_FOUND')
    await refused(asHusam(postern).spaces.join({ id: 'alpha', agent: 'designer' }), 'AGENT_NOT_FOUND')
    await postern.agents.add({ id: 'designer', restore: true })
    await refused(asDesigner(postern).spaces.post({ content: 'x' }), 'SPACE_NOT_ENTERED')
    const { items } = await postern.inbox.list({ agent: 'designer', which: 'all' })
    expect(items.map(({ content, state }) => [content, state])).toEqual([['before', 'cancelled']])
  })

  rule('leaves out a member that was removed behind its back', async () => {
    verifies('S001.space.removed')
    const { postern, tamper } = await open({ agents: TEAM })
    await makeAlpha(postern)
    await tamper(`UPDATE agents SET removed_at = 1 WHERE id = 'designer'`)
    const posted = await asHusam(postern).spaces.post({ id: 'alpha', content: 'x' })
    expect(posted.recipients.map(({ agent }) => agent)).toEqual(['analyst', 'developer'])
    expect(await postern.spaces.list()).toMatchObject([{ members: 3 }])
    await refused(asDesigner(postern).spaces.post({ id: 'alpha', content: 'x' }), 'SPACE_NOT_MEMBER')
  })

  rule('refuses a post for all where the inbox of one is full', async () => {
    verifies('S001.space.all-or-nothing')
    const { postern } = await open({ agents: TEAM, limits: { pendingPerAgent: 1 } })
    await makeAlpha(postern)
    await tell(postern, 'developer', 'full')
    const say = { id: 'alpha', content: 'Not now', dedupKey: 'key' }
    const { details } = await refused(asHusam(postern).spaces.post(say), 'INBOX_FULL')
    expect(details).toMatchObject({ agent: 'developer' })
    expect(await saidIn(postern, 'alpha')).toEqual([])
    expect(await mailOf(postern, 'analyst')).toEqual([])
    await postern.inbox.cancel({ id: (await mailOf(postern, 'developer'))[0]?.id ?? '' })
    expect(await asHusam(postern).spaces.post(say)).toMatchObject({ duplicate: false, post: { seq: 1 } })
  })

  rule('holds what agents say to each other too often, and keeps it in the conversation', async () => {
    verifies('S001.space.damping', 'G17.pair')
    const { postern } = await open({ agents: TEAM, limits: { pairBurst: 2, pairPerMinute: 1 } })
    await makeAlpha(postern)
    const states = []
    for (const content of ['one', 'two', 'three']) {
      const { recipients } = await asAnalyst(postern).spaces.post({ id: 'alpha', content })
      states.push(recipients.map(({ state }) => state))
    }
    const pending = ['pending', 'pending', 'pending']
    expect(states).toEqual([pending, pending, ['held', 'held', 'held']])
    expect(await saidIn(postern, 'alpha')).toEqual(['one', 'two', 'three'])
    const last = (await postern.spaces.history({ id: 'alpha' })).items.at(-1)?.messageId ?? ''
    expect(await stepsOf(postern, last, 'designer')).toContain('held')
    const told = (await mailOf(postern, 'husam')).filter(({ type }) => type === 'system')
    expect(told).toHaveLength(1)
  })

  rule('holds the replies of agents beyond the last hop', async () => {
    verifies('S001.space.damping', 'G17.hops')
    const { postern } = await open({ agents: TEAM, limits: { hops: 2, pairBurst: 100 } })
    await makeAlpha(postern)
    const first = await asHusam(postern).spaces.post({ id: 'alpha', content: 'Begin' })
    let replyTo = first.post.messageId
    const states = []
    for (const speaker of [asAnalyst, asDesigner, asAnalyst]) {
      const { post, recipients } = await speaker(postern).spaces.post({ id: 'alpha', content: 'More', replyTo })
      replyTo = post.messageId
      states.push(recipients.find(({ agent }) => agent === 'developer')?.state)
    }
    expect(states).toEqual(['pending', 'pending', 'held'])
  })

  rule('has bounded names and members, and no odd ids', async () => {
    verifies('S001.space.bounds')
    const { postern } = await open({ agents: TEAM, limits: { recipientsPerPush: 3 } })
    for (const id of ['', 'Alpha', 'a b', '../x', '-a', 'a'.repeat(65), 'ä', 'a\0']) {
      await refused(postern.spaces.create({ id }), 'SPACE_ID_INVALID')
    }
    await refused(postern.spaces.create({ id: 'a', name: 'x'.repeat(201) }), 'CONTENT_TOO_LARGE')
    for (const name of ['', '  ', 'a\nb', 'a\u202eb', 'a\0']) {
      await refused(postern.spaces.create({ id: 'a', name }), 'TEXT_INVALID')
    }
    await refused(makeAlpha(postern), 'VALUE_INVALID')
    await refused(postern.spaces.create({ id: 'a', members: ['nobody'] }), 'AGENT_NOT_FOUND')
    await refused(postern.spaces.create({ id: 'a', members: ['all'] }), 'AGENT_ID_RESERVED')
    expect(await postern.spaces.list()).toEqual([])
    await postern.spaces.create({ id: 'a', members: ['husam', 'analyst', 'designer'] })
    await refused(postern.spaces.join({ id: 'a', agent: 'developer' }), 'VALUE_INVALID')
    expect(namesIn(await postern.spaces.show({ id: 'a' }))).toHaveLength(3)
    await refused(asHusam(postern).spaces.post({ id: 'a', content: 'x'.repeat(64 * 1024 + 1) }), 'CONTENT_TOO_LARGE')
  })
})
