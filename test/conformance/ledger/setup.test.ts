import { expect } from 'vitest'
import { createLedgerCodec } from '../../../src/ledger/codec/create-codec.ts'
import type { AgentDefinition } from '../../../src/model/ledger/definition.ts'
import { formatInboundMemo, formatOutboundMemo } from '../../../src/model/ledger/memos.ts'
import { requireProfile } from '../../../src/model/ledger/profile.ts'
import type { Store } from '../../../src/store/store.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { caller, conformance, refused } from '../suite.ts'
import { expectAllVerified, only, textsOn } from './telling.ts'

const TEAM = ['mindy', 'quinn', { id: 'justin', kind: 'human' }] as const

conformance('setting up the ledger', ({ rule, open }) => {
  rule("gives every agent, people too, two topics with the seed's memos, once", async () => {
    verifies('S003.topics')
    const { postern } = await open({ agents: TEAM })
    const first = await postern.ledger.setup({})
    expect(first.ledger).toMatchObject({ kind: 'local', public_consensus: false })
    expect(first).toMatchObject({ waiting: [], price: 0 })
    expect(first.agents.map(({ agent, isNew }) => [agent, isNew])).toEqual([
      ['system', true],
      ['justin', true],
      ['mindy', true],
      ['quinn', true],
    ])
    expect(new Set(first.agents.map(({ account }) => account)).size).toBe(4)
    for (const { agent, account, inboundTopicId, outboundTopicId } of first.agents) {
      const [inbound] = await postern.ledger.topics({ role: 'inbound' }).then((topics) => ofAgent(topics, agent))
      const [outbound] = await postern.ledger.topics({ role: 'outbound' }).then((topics) => ofAgent(topics, agent))
      expect(inbound).toMatchObject({ id: inboundTopicId, memo: formatInboundMemo(account), submitKey: null })
      expect(outbound).toMatchObject({
        id: outboundTopicId,
        memo: formatOutboundMemo(),
        submitKey: `account:${account}`,
      })
    }
    const again = await postern.ledger.setup({})
    expect(again.agents).toEqual(first.agents.map((identity) => ({ ...identity, isNew: false })))
    await expectAllVerified(postern)
  })

  rule('keeps both of two changes to a profile that are made at once', async () => {
    verifies('S003.profile')
    const { postern } = await open({ agents: TEAM })
    await postern.ledger.setup({})
    for (let round = 0; round < 5; round++) {
      const [bio, model] = [`bio ${round}`, `model ${round}`]
      await Promise.all([
        postern.ledger.setProfile({ agent: 'quinn', bio }),
        postern.ledger.setProfile({ agent: 'quinn', model }),
      ])
      expect((await postern.ledger.profile({ agent: 'quinn' })).identity).toMatchObject({ bio, model })
    }
    await expectAllVerified(postern)
  })

  rule('sets up only those who are named, and again changes nothing', async () => {
    verifies('S003.topics')
    const { postern } = await open({ agents: TEAM })
    const { agents } = await postern.ledger.setup({ agents: ['quinn', 'quinn'] })
    expect(agents.map(({ agent }) => agent)).toEqual(['quinn'])
    const topics = await postern.ledger.topics({})
    await postern.ledger.setup({ agents: ['quinn'] })
    expect(await postern.ledger.topics({})).toEqual(topics)
    expect(await postern.ledger.topics({ agent: 'mindy' })).toEqual([])
  })

  rule("publishes the profile as an HCS-11 file and as the seed's definition", async () => {
    verifies('S003.profile')
    const { postern } = await open({ agents: TEAM })
    const { agents } = await postern.ledger.setup({ agents: ['quinn', 'justin'] })
    for (const { agent, profileTopicId, uaid } of agents) {
      const { topic } = await postern.ledger.read({ topic: profileTopicId ?? '' })
      expect(topic).toMatchObject({ role: 'file', agent, adminKey: null })
      const entries = await textsOn(postern, profileTopicId)
      const { content } = createLedgerCodec().decodeFile({ memo: topic.memo, entries })
      const profile = requireProfile(JSON.parse(content))
      expect(profile).toMatchObject({ display_name: agent, uaid, type: agent === 'justin' ? 0 : 1 })
      expect(uaid).toMatch(/^uaid:aid:/)
      const shown = await postern.ledger.profile({ agent })
      expect(shown.profile).toEqual(profile)
      expect(shown.agent_definition).toMatchObject({ type: 'agent_definition', agent: { slug: agent } })
    }
    const [definitions] = await postern.ledger.topics({ role: 'definitions' })
    const texts = await textsOn(postern, definitions?.id ?? null)
    expect(texts.map((text) => definitionIn(text).agent.slug)).toEqual(['justin', 'quinn'])
  })

  rule('names the profile in the memo of the account, as HCS-11 has it', async () => {
    verifies('S003.profile')
    let store: Store | undefined
    const { postern } = await open({
      agents: TEAM,
      through(given) {
        store = given
        return given
      },
    })
    const memoOf = async (account: string) => (await store?.read.ledger.getAccount({ id: account }))?.memo
    const [identity = expect.fail()] = (await postern.ledger.setup({ agents: ['quinn'] })).agents
    expect(await memoOf(identity.account)).toBe(`hcs-11:hcs://1/${identity.profileTopicId}`)
    const changed = await postern.ledger.setProfile({ agent: 'quinn', bio: 'Another' })
    expect(await memoOf(identity.account)).toBe(`hcs-11:hcs://1/${changed.identity.profileTopicId}`)
  })

  rule('changes a profile and publishes it again', async () => {
    verifies('S003.profile')
    const { postern } = await open({ agents: TEAM })
    const before = await postern.ledger.setup({ agents: ['quinn'] })
    const quinn = postern.as(caller('quinn'))
    const bio = 'Writes {file} and {definitions}.'
    const changed = await quinn.ledger.setProfile({ agent: 'quinn', capabilities: [18, 4, 4], model: 'opus', bio })
    expect(changed.identity).toMatchObject({ capabilities: [4, 18], model: 'opus', bio })
    expect(changed.identity.profileTopicId).not.toBe(before.agents[0]?.profileTopicId)
    expect(changed.identity.uaid).not.toBe(before.agents[0]?.uaid)
    expect(changed.profile).toMatchObject({ bio, aiAgent: { capabilities: [4, 18], model: 'opus' } })
    const [definitions] = await postern.ledger.topics({ role: 'definitions' })
    const texts = await textsOn(postern, definitions?.id ?? null)
    expect(definitionIn(texts.at(-1)).agent.hcs11_profile).toMatchObject({ bio })
    const cleared = await quinn.ledger.setProfile({ agent: 'quinn', bio: '' })
    expect(cleared.identity).toMatchObject({ bio: null, model: 'opus', capabilities: [4, 18] })
    await expectAllVerified(postern)
  })

  rule('publishes a profile of somebody who had no topics yet', async () => {
    verifies('S003.profile')
    const { postern } = await open({ agents: TEAM })
    await refused(postern.ledger.profile({ agent: 'mindy' }), 'LEDGER_NOT_SET_UP')
    const { identity } = await postern.ledger.setProfile({ agent: 'mindy', capabilities: [0] })
    expect(identity).toMatchObject({ agent: 'mindy', capabilities: [0] })
    expect((await postern.ledger.profile({ agent: 'mindy' })).identity).toEqual(identity)
  })

  rule('refuses a profile that nobody could read, and publishes nothing then', async () => {
    verifies('S003.profile')
    const { postern } = await open({ agents: TEAM })
    const wrong = (more: object) => postern.ledger.setProfile({ agent: 'quinn', ...more })
    await refused(wrong({ capabilities: [] }), 'PROFILE_INVALID')
    await refused(wrong({ capabilities: [19] }), 'PROFILE_INVALID')
    await refused(wrong({ capabilities: [1.5] }), 'PROFILE_INVALID')
    await refused(wrong({ bio: 'x'.repeat(2_001) }), 'CONTENT_TOO_LARGE')
    await refused(wrong({ agent: 'nobody' }), 'AGENT_NOT_FOUND')
    await refused(postern.ledger.setup({ agents: ['quinn', 'nobody'] }), 'AGENT_NOT_FOUND')
    expect(await postern.ledger.topics({})).toEqual([])
  })

  rule('lets a program set up and describe nobody but itself', async () => {
    verifies('S003.profile')
    const { postern } = await open({ agents: TEAM })
    const quinn = postern.as(caller('quinn'))
    await refused(quinn.ledger.setup({}), 'NOT_ALLOWED')
    await refused(quinn.ledger.setup({ agents: ['mindy'] }), 'NOT_ALLOWED')
    await refused(quinn.ledger.setProfile({ agent: 'mindy', bio: 'Not me' }), 'NOT_ALLOWED')
    expect(await postern.ledger.topics({})).toEqual([])
    const justin = postern.as(caller('justin', 'human'))
    expect((await justin.ledger.setup({ agents: ['mindy'] })).agents).toHaveLength(1)
  })

  rule('says which ledger it is, what is there and what it costs', async () => {
    verifies('S003.topics')
    const { postern } = await open({ agents: TEAM })
    await postern.ledger.setup({ agents: ['quinn'] })
    expect(await postern.ledger.status()).toEqual({
      ledger: { kind: 'local', network: 'local', public_consensus: false },
      operator: expect.stringMatching(/^0\.0\.\d+$/),
      topics: 4,
      waiting: 0,
      refused: 0,
      spentToday: 0,
      budgetPerDay: null,
    })
  })
})

conformance('topics of the ledger', ({ rule, open }) => {
  rule('makes the topic of a work item once', async () => {
    verifies('S003.topics')
    const { postern } = await open({ agents: TEAM })
    const first = await postern.ledger.createTopic({ entity: 'stage:BETA' })
    expect(first).toMatchObject({
      entity: 'stage:BETA',
      isNew: true,
      topic: { role: 'work', memo: 'postern:work:stage:BETA' },
    })
    const again = await postern.ledger.createTopic({ entity: 'stage:BETA' })
    expect(again).toEqual({ ...first, isNew: false })
    const both = await Promise.all([1, 2, 3].map(() => postern.ledger.createTopic({ entity: 'project:X' })))
    expect(new Set(both.map(({ topic }) => topic?.id)).size).toBe(1)
    expect(both.filter(({ isNew }) => isNew)).toHaveLength(1)
    await refused(postern.ledger.createTopic({ entity: 'epic:X' }), 'ENTITY_INVALID')
    await refused(postern.ledger.createTopic({ entity: 'task' }), 'ENTITY_INVALID')
  })

  rule('reads a topic in pages, oldest first', async () => {
    verifies('S003.topics')
    const { postern } = await open({ agents: TEAM })
    for (const note of ['1', '2', '3']) await postern.notes.post({ entity_id: 'A', entity_type: 'task', note })
    const page = await postern.ledger.read({ topic: 'task:A', limit: 2 })
    expect(page.entries.map(({ sequence }) => sequence)).toEqual([1, 2])
    expect(page.next).toBe(2)
    const rest = await postern.ledger.read({ topic: 'task:A', limit: 2, after: 2 })
    expect(rest.entries.map(({ sequence }) => sequence)).toEqual([3])
    expect(rest.next).toBe(null)
    const times = [...page.entries, ...rest.entries].map(({ consensusAt }) => consensusAt)
    expect([...times].sort()).toEqual(times)
    expect(new Set(times).size).toBe(3)
  })

  rule('shows a program nothing of what others were sent', async () => {
    verifies('S003.privacy')
    const { postern } = await open({ agents: TEAM })
    const said = { message_type: 'fyi', subject: 'between us', payload: { text: 'x'.repeat(3_000) } } as const
    const { topic_id } = only(await postern.as(caller('quinn')).messages.send({ to_agent: 'justin', ...said }))
    await postern.notes.post({ entity_id: 'A', entity_type: 'task', note: 'for all' })
    const mindy = postern.as(caller('mindy'))
    const quinn = postern.as(caller('quinn'))
    const read = (as: typeof postern, topic: string | null) => as.ledger.read({ topic: topic ?? '' })
    const files = await postern.ledger.topics({ role: 'file', agent: 'quinn' })
    const outbound = await postern.ledger.topics({ role: 'outbound', agent: 'quinn' })
    for (const topic of [topic_id, ...[...files, ...outbound].map(({ id }) => id)]) {
      await refused(read(mindy, topic), 'NOT_ALLOWED')
    }
    await refused(read(quinn, topic_id), 'NOT_ALLOWED')
    for (const { id } of [...files, ...outbound]) expect((await read(quinn, id)).entries.length).toBeGreaterThan(0)
    expect((await read(postern.as(caller('justin', 'human')), topic_id)).entries).toHaveLength(1)
    expect((await read(mindy, 'task:A')).entries).toHaveLength(1)
    const [definitions] = await postern.ledger.topics({ role: 'definitions' })
    expect((await read(mindy, definitions?.id ?? null)).entries.length).toBeGreaterThan(0)
    expect(await mindy.ledger.verify({ topic: topic_id ?? '' })).toMatchObject({ isDone: true, bad: null })
  })

  rule('walks a topic slice by slice, and names the first entry that was altered', async () => {
    verifies('S003.verify')
    const { postern, tamper } = await open({ agents: TEAM })
    for (const note of ['1', '2', '3', '4']) await postern.notes.post({ entity_id: 'A', entity_type: 'task', note })
    const first = await postern.ledger.verify({ topic: 'task:A', limit: 3 })
    expect(first).toMatchObject({ entries: 3, mark: { sequence: 3 }, isDone: false, bad: null })
    const rest = await postern.ledger.verify({ topic: 'task:A', after: first.mark })
    expect(rest).toMatchObject({ entries: 1, mark: { sequence: 4 }, isDone: true, bad: null })
    const altered = Buffer.from('{"type":"task.note","from_agent":"quinn","note":"never said"}').toString('base64')
    await tamper(`UPDATE ledger_entries SET message = '${altered}' WHERE topic_id = '${rest.topic}' AND sequence = 3`)
    const found = await postern.ledger.verify({ topic: 'task:A' })
    expect(found).toMatchObject({ isDone: false, mark: { sequence: 2 }, bad: { sequence: 3 } })
    expect(await postern.ledger.verify({ topic: 'task:A', limit: 2 })).toMatchObject({ bad: null, isDone: false })
  })

  rule('refuses what names no topic', async () => {
    verifies('S003.topics')
    const { postern } = await open({ agents: TEAM })
    await refused(postern.ledger.read({ topic: '0.0.4711' }), 'LEDGER_TOPIC_NOT_FOUND')
    await refused(postern.ledger.read({ topic: 'task:NONE' }), 'LEDGER_TOPIC_NOT_FOUND')
    await refused(postern.ledger.read({ topic: 'nonsense' }), 'LEDGER_ID_INVALID')
    await refused(postern.ledger.read({ topic: 'epic:X' }), 'ENTITY_INVALID')
    await refused(postern.ledger.verify({ topic: '0.0.4711' }), 'LEDGER_TOPIC_NOT_FOUND')
    await postern.ledger.createTopic({ entity: 'task:A' })
    await refused(postern.ledger.read({ topic: 'task:A', limit: 100_000 }), 'VALUE_INVALID')
    await refused(postern.ledger.read({ topic: 'task:A', after: -1 }), 'VALUE_INVALID')
    const after = { sequence: 1, runningHash: 'nonsense' }
    await refused(postern.ledger.verify({ topic: 'task:A', after }), 'VALUE_INVALID')
    await refused(postern.ledger.topics({ role: 'nonsense' }), 'VALUE_INVALID')
  })
})

function definitionIn(text: string | undefined): AgentDefinition {
  const definition: AgentDefinition = JSON.parse(text ?? '')
  expect(definition.type).toBe('agent_definition')
  requireProfile(definition.agent.hcs11_profile)
  return definition
}

function ofAgent<T extends { readonly agent: string | null }>(topics: readonly T[], agent: string): readonly T[] {
  return topics.filter((topic) => topic.agent === agent)
}
