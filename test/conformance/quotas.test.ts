import { expect } from 'vitest'
import { createReplies } from '../../src/core/replies.ts'
import type { ReplyClaim } from '../../src/model/network/replies.ts'
import type { Store } from '../../src/store/store.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, refused } from './suite.ts'

conformance('quotas', ({ rule, open }) => {
  rule('bound the gates that a program creates, closed ones included', async () => {
    verifies('G17.quotas')
    const { postern, advance } = await open({ limits: { gateBurst: 2, gatesPerMinute: 1 } })
    const gate = { agent: 'quinn', kind: 'timer', afterMs: 60_000, mode: 'soft', reason: 'wait' } as const
    const { gates } = postern.as(caller('quinn'))
    for (let at = 0; at < 2; at++) await gates.resolve({ id: (await gates.create(gate)).id, reason: 'done' })
    await refused(gates.create(gate), 'RATE_LIMITED')
    await postern.gates.create(gate)
    advance(60_000)
    await gates.create(gate)
  })

  rule('bound the spaces that a program makes and does not close', async () => {
    verifies('G17.quotas')
    const { postern } = await open({ limits: { spacesPerProgram: 2 } })
    const { spaces } = postern.as(caller('quinn'))
    for (const id of ['one', 'two']) await spaces.create({ id })
    await refused(spaces.create({ id: 'three' }), 'QUOTA_REACHED')
    await spaces.close({ id: 'one' })
    expect(await spaces.create({ id: 'three' })).toMatchObject({ createdBy: 'quinn' })
  })

  rule('bound how fast a program makes spaces, closed ones included', async () => {
    verifies('G17.quotas')
    const { postern, advance } = await open({
      agents: ['quinn', 'mindy'],
      limits: { creationBurst: 2, creationsPerMinute: 1 },
    })
    const { spaces } = postern.as(caller('quinn'))
    for (const id of ['one', 'two']) {
      await spaces.create({ id })
      await spaces.close({ id })
    }
    await refused(spaces.create({ id: 'three' }), 'RATE_LIMITED')
    await postern.as(caller('mindy')).spaces.create({ id: 'four' })
    await postern.spaces.create({ id: 'five' })
    advance(60_000)
    await spaces.create({ id: 'three' })
    // One that is there takes nothing.
    await spaces.create({ id: 'three' })
  })

  rule('bound how fast a token begins sessions, ended ones included', async () => {
    verifies('G17.quotas')
    const { postern, advance } = await open({
      limits: { creationBurst: 2, creationsPerMinute: 1, sessionsPerAgent: 1 },
    })
    const quinn = postern.as(caller('quinn'))
    for (const id of ['one', 'two']) await quinn.sessions.begin({ id, agent: 'quinn' })
    await refused(quinn.sessions.begin({ id: 'three', agent: 'quinn' }), 'RATE_LIMITED')
    await quinn.inbox.push({ to: ['quinn'], content: 'x' })
    await refused(quinn.inbox.drain({ agent: 'quinn', sessionId: 'four' }), 'RATE_LIMITED')
    expect((await quinn.inbox.list({ agent: 'quinn' })).items).toMatchObject([{ state: 'pending' }])
    // One that is known goes on, and a process of this machine is no token.
    await quinn.sessions.begin({ id: 'one', agent: 'quinn' })
    await postern.sessions.begin({ id: 'local', agent: 'quinn' })
    advance(60_000)
    await quinn.sessions.begin({ id: 'three', agent: 'quinn' })
  })

  rule('bound how fast a program makes buses and stores attachments there', async () => {
    verifies('G17.quotas')
    const { postern, advance } = await open({ limits: { creationBurst: 2, creationsPerMinute: 1 } })
    const { bus } = postern.as(caller('quinn'))
    const post = (project_id: string, more = {}) => bus.post({ project_id, type: 'INFO', body: 'x', ...more })
    const attachments = [{ name: 'a.txt', data: 'eA==' }]
    for (const project of ['one', 'two']) await post(project, { attachments })
    await refused(post('three'), 'RATE_LIMITED')
    await refused(post('one', { attachments }), 'RATE_LIMITED')
    expect((await postern.bus.list()).map(({ project_id }) => project_id)).toEqual(['one', 'two'])
    for (let at = 0; at < 3; at++) await post('one')
    await postern.bus.post({ project_id: 'four', type: 'INFO', body: 'x' })
    advance(60_000)
    await post('three', { attachments })
  })

  rule('bound the services of an agent', async () => {
    verifies('G17.quotas')
    const { postern } = await open()
    const { id } = await postern.services.create({ name: 'ci', agent: 'quinn' })
    for (let at = 1; at < 32; at++) await postern.services.create({ name: `ci${at}`, agent: 'quinn' })
    await refused(postern.services.create({ name: 'cd', agent: 'quinn' }), 'QUOTA_REACHED')
    await postern.services.revoke({ id })
    await postern.services.create({ name: 'cd', agent: 'quinn' })
  })

  rule('bound the kept answers of each caller', async () => {
    verifies('G17.quotas')
    let store: Store | undefined
    await open({
      through: (opened) => {
        store = opened
        return opened
      },
    })
    const limits = { repliesPerCaller: 2, replyBytesPerCaller: 10 }
    const replies = createReplies(store ?? expect.fail('nothing was opened'), limits)
    const claim = (key: string, by = 'ai:quinn') => replies.claim({ caller: by, key, fingerprint: 'f' })
    const first = (await claim('one')) as ReplyClaim
    expect(await claim('two')).toMatchObject({ outcome: null })
    await expect(claim('three')).rejects.toMatchObject({ code: 'QUOTA_REACHED' })
    expect(await claim('one')).toMatchObject({ fingerprint: 'f' })
    const mindys = (await claim('three', 'ai:mindy')) as ReplyClaim
    await replies.drop(first)
    expect(await claim('three')).toMatchObject({ outcome: null })
    // The bytes count, and not the characters.
    await replies.keep({ ...mindys, status: 200, body: 'äöüäö' })
    await expect(claim('four', 'ai:mindy')).rejects.toMatchObject({ code: 'QUOTA_REACHED' })
    expect(await claim('three', 'ai:mindy')).toMatchObject({ status: 200, body: 'äöüäö' })
  })
})
