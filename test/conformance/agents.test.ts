import { expect } from 'vitest'
import type { ListAgents } from '../../src/model/postern.ts'
import type { ListStatuses, Shelves, Store } from '../../src/store/store.ts'
import { storeWith } from '../helpers/store-with.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, refused, show, stateOf, tell } from './suite.ts'

conformance('agents', ({ rule, open }) => {
  rule('registers an agent as an AI under its own id unless told otherwise', async () => {
    const { postern, now } = await open({ agents: [] })
    expect(await postern.agents.add({ id: 'quinn' })).toEqual({
      id: 'quinn',
      kind: 'ai',
      displayName: 'quinn',
      isOwner: false,
      createdAt: now(),
      removedAt: null,
    })
  })

  rule('lists agents with what waits for each and its latest session, in pages, or by a part of a name', async () => {
    const { postern, advance } = await open({ agents: ['amy', 'bob', 'cyd', { id: 'jira', kind: 'service' }] })
    await postern.agents.add({ id: 'dan', kind: 'human', displayName: 'Dan 100% O\\_Neil' })
    await postern.as(caller('amy')).inbox.push({ to: ['all'], content: 'to all' })
    await tell(postern, 'bob', 'one')
    await postern.inbox.push({ to: ['bob'], content: 'brief', ttlMs: 1 })
    await postern.sessions.begin({ id: 'old', agent: 'bob', host: 'codex' })
    advance(1_000)
    await postern.sessions.begin({ id: 'new', agent: 'bob', host: 'claude-code' })
    await postern.sessions.begin({ id: 'over', agent: 'cyd', host: 'codex' })
    await postern.sessions.end({ id: 'over' })
    const all = await postern.agents.list()
    expect(all.map(({ id, pending, session }) => [id, pending, session?.id ?? null])).toEqual([
      ['amy', 0, null],
      ['bob', 2, 'new'],
      ['cyd', 1, null],
      ['dan', 1, null],
      ['jira', 0, null],
    ])
    for (const each of all) expect(await postern.agents.show({ id: each.id })).toEqual(each)
    const ids = async (input: ListAgents) => (await postern.agents.list(input)).map(({ id }) => id)
    expect(await ids({ limit: 2 })).toEqual(['amy', 'bob'])
    expect(await ids({ limit: 2, after: 'bob' })).toEqual(['cyd', 'dan'])
    expect(await ids({ search: 'O\\_NEIL' })).toEqual(['dan'])
    expect(await ids({ search: '100%' })).toEqual(['dan'])
    expect(await ids({ search: 'B' })).toEqual(['bob'])
    expect(await ids({ search: 'a_y' })).toEqual([])
    for (const limit of [0, 1_001]) await refused(postern.agents.list({ limit }), 'VALUE_INVALID')
    await refused(postern.agents.list({ search: 'x'.repeat(201) }), 'VALUE_INVALID')
  })

  rule('lists everybody without a limit, and reads no more than a page at once', async () => {
    const limits: (number | undefined)[] = []
    const through = (store: Store): Store => {
      const agents = {
        ...store.read.agents,
        statuses: (params: ListStatuses) => {
          limits.push(params.limit)
          return store.read.agents.statuses(params)
        },
      }
      const get = (shelves: Shelves, name: string) => (name === 'agents' ? agents : Reflect.get(shelves, name))
      return storeWith(store, { read: new Proxy(store.read, { get }) })
    }
    const { postern } = await open({ agents: [], through })
    const ids = Array.from({ length: 1_002 }, (_, n) => `agent-${String(n).padStart(4, '0')}`)
    for (let at = 0; at < ids.length; at += 50) {
      await Promise.all(ids.slice(at, at + 50).map((id) => postern.agents.add({ id })))
    }
    limits.length = 0
    expect((await postern.agents.list({})).map(({ id }) => id)).toEqual(ids)
    expect(limits).toEqual([1_000, 1_000])
  })

  rule('takes the same registration again and refuses another one under its name', async () => {
    const { postern, advance } = await open({ agents: [] })
    const first = await postern.agents.add({ id: 'justin', kind: 'human', isOwner: true, displayName: 'Justin' })
    advance(1_000)
    expect(await postern.agents.add({ id: 'justin', kind: 'human', isOwner: true })).toEqual(first)
    await refused(postern.agents.add({ id: 'justin' }), 'AGENT_EXISTS')
    await refused(postern.agents.add({ id: 'justin', kind: 'human', isOwner: false }), 'AGENT_EXISTS')
    await refused(
      postern.agents.add({ id: 'justin', kind: 'human', isOwner: true, displayName: 'Jay' }),
      'AGENT_EXISTS',
    )
  })

  rule('takes what is not said of an owner for no contradiction', async () => {
    const { postern } = await open({ agents: [{ id: 'justin', kind: 'human', isOwner: true }] })
    expect(await postern.agents.add({ id: 'justin', kind: 'human' })).toMatchObject({ id: 'justin', isOwner: true })
  })

  rule('makes a registered person an owner, and nobody else', async () => {
    const { postern } = await open({ agents: ['quinn', { id: 'justin', kind: 'human' }] })
    const owner = { id: 'justin', kind: 'human', isOwner: true } as const
    expect(await postern.agents.add(owner)).toMatchObject({ isOwner: true })
    expect(await postern.agents.show({ id: 'justin' })).toMatchObject({ isOwner: true })
    await refused(postern.agents.add({ ...owner, id: 'quinn' }), 'AGENT_EXISTS')
    expect(await postern.agents.show({ id: 'quinn' })).toMatchObject({ isOwner: false })
  })

  rule('brings a removed agent back only as what it was', async () => {
    const { postern } = await open({ agents: [] })
    await postern.agents.add({ id: 'justin', kind: 'human', displayName: 'Justin' })
    await postern.agents.remove({ id: 'justin' })
    const back = { id: 'justin', restore: true }
    await refused(postern.agents.add({ ...back, kind: 'ai' }), 'AGENT_EXISTS')
    await refused(postern.agents.add({ ...back, kind: 'human', displayName: 'Jay' }), 'AGENT_EXISTS')
    expect(await postern.agents.list()).toEqual([])
    expect(await postern.agents.add(back)).toMatchObject({ kind: 'human', displayName: 'Justin', removedAt: null })
  })

  rule('makes nothing pending for an agent that was removed', async () => {
    verifies('G7.conservation')
    const { postern } = await open({ agents: ['quinn', 'rex'], limits: { attempts: 1 } })
    const { id } = await postern.inbox.push({ to: ['quinn', 'rex'], content: 'dead' })
    for (const agent of ['quinn', 'rex']) {
      const { offerId } = await show(postern, { agent })
      await postern.inbox.release({ offerId, reason: 'no' })
    }
    await postern.agents.remove({ id: 'quinn' })
    await refused(postern.inbox.retryDead({ id, agent: 'quinn' }), 'AGENT_REMOVED')
    expect(await postern.inbox.retryDead({ id })).toEqual({ retried: 1 })
    expect([await stateOf(postern, id, 'quinn'), await stateOf(postern, id, 'rex')]).toEqual(['dead', 'pending'])
    await refused(postern.inbox.retryDead({ id }), 'AGENT_REMOVED')
  })

  rule('makes only people owners', async () => {
    const { postern } = await open({ agents: [] })
    await refused(postern.agents.add({ id: 'quinn', isOwner: true }), 'VALUE_INVALID')
    expect(await postern.agents.list()).toEqual([])
  })

  rule('lists agents by id, with what waits for each', async () => {
    const { postern } = await open({ agents: ['rex', 'ada', 'quinn'] })
    await tell(postern, 'quinn', 'one')
    await tell(postern, 'quinn', 'two')
    const agents = await postern.agents.list()
    expect(agents.map(({ id, pending }) => [id, pending])).toEqual([
      ['ada', 0],
      ['quinn', 2],
      ['rex', 0],
    ])
  })

  rule('shows an agent with its most recent session', async () => {
    const { postern, advance } = await open()
    expect(await postern.agents.show({ id: 'quinn' })).toMatchObject({ id: 'quinn', pending: 0, session: null })
    await postern.sessions.begin({ id: 'older', agent: 'quinn' })
    advance(1)
    await postern.sessions.begin({ id: 'newer', agent: 'quinn', host: 'codex' })
    expect(await postern.agents.show({ id: 'quinn' })).toMatchObject({ session: { id: 'newer', host: 'codex' } })
  })

  rule('names the agent that was probably meant', async () => {
    const { postern } = await open({ agents: ['quinn', 'ada'] })
    for (const near of ['quin', 'qunin', 'quinnn', 'qu1nn']) {
      const error = await refused(postern.agents.show({ id: near }), 'AGENT_NOT_FOUND')
      expect(error.message).toContain('Did you mean quinn?')
    }
    const error = await refused(postern.agents.show({ id: 'nobody' }), 'AGENT_NOT_FOUND')
    expect(error.message).not.toContain('Did you mean')
  })

  rule('changes the display name and nothing else', async () => {
    const { postern } = await open({ agents: ['quinn', 'rex'] })
    expect(await postern.agents.rename({ id: 'quinn', displayName: '  Quinn the builder ' })).toMatchObject({
      id: 'quinn',
      displayName: 'Quinn the builder',
    })
    expect(await postern.agents.show({ id: 'quinn' })).toMatchObject({ displayName: 'Quinn the builder' })
    await refused(postern.agents.rename({ id: 'quinn', displayName: 'Rex' }), 'AGENT_CONFUSABLE')
    await refused(postern.agents.rename({ id: 'nobody', displayName: 'Nobody' }), 'AGENT_NOT_FOUND')
  })

  rule('cancels what waits for an agent that is removed', async () => {
    verifies('G7.conservation')
    const { postern } = await open({ agents: ['quinn', 'rex'] })
    const seen = await tell(postern, 'quinn', 'seen')
    const { offerId } = await show(postern, { agent: 'quinn' })
    await postern.inbox.confirm({ offerId, evidence: 'read' })
    const offered = await tell(postern, 'quinn', 'offered')
    await show(postern, { agent: 'quinn' })
    const waiting = (await postern.inbox.push({ to: ['quinn', 'rex'], content: 'waiting' })).id

    await postern.agents.remove({ id: 'quinn' })
    expect(await stateOf(postern, seen, 'quinn')).toBe('seen')
    expect(await stateOf(postern, offered, 'quinn')).toBe('cancelled')
    expect(await stateOf(postern, waiting, 'quinn')).toBe('cancelled')
    expect(await stateOf(postern, waiting, 'rex')).toBe('pending')
  })

  rule('keeps a removed agent out of everything but its own return', async () => {
    verifies('G14.names')
    const { postern } = await open({ agents: ['bob', 'rex'] })
    await postern.agents.remove({ id: 'bob' })
    await refused(postern.inbox.push({ to: ['bob'], content: 'hello' }), 'AGENT_NOT_FOUND')
    await refused(postern.inbox.drain({ agent: 'bob' }), 'AGENT_NOT_FOUND')
    await refused(postern.agents.show({ id: 'bob' }), 'AGENT_NOT_FOUND')
    await refused(postern.agents.remove({ id: 'bob' }), 'AGENT_NOT_FOUND')
    await refused(postern.agents.add({ id: 'bob' }), 'AGENT_REMOVED')
    await refused(postern.agents.add({ id: 'b0b' }), 'AGENT_CONFUSABLE')
    await refused(postern.inbox.push({ to: ['bob'], content: 'hello', create: true }), 'AGENT_REMOVED')
    expect((await postern.agents.list()).map(({ id }) => id)).toEqual(['rex'])
    expect((await postern.agents.list({ removed: true })).map(({ id }) => id)).toEqual(['bob', 'rex'])
  })

  rule('brings a removed agent back with its history and an empty inbox', async () => {
    const { postern } = await open()
    const id = await tell(postern, 'quinn', 'before')
    await postern.agents.remove({ id: 'quinn' })
    expect(await postern.agents.add({ id: 'quinn', restore: true })).toMatchObject({ id: 'quinn', removedAt: null })
    expect(await postern.inbox.drain({ agent: 'quinn' })).toMatchObject({ messages: [], remaining: 0 })
    expect(await stateOf(postern, id)).toBe('cancelled')
    await tell(postern, 'quinn', 'after')
    expect(await postern.inbox.drain({ agent: 'quinn' })).toMatchObject({ messages: [{ content: 'after' }] })
  })

  rule('binds the caller once and leaves the other Postern as it was', async () => {
    verifies('G15.from')
    const { postern } = await open()
    const quinn = postern.as(caller('quinn'))
    expect(quinn.caller).toEqual(caller('quinn'))
    expect(postern.caller).toMatchObject({ id: 'local', verified: false })
  })
})
