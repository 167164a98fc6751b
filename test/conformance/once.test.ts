import { expect } from 'vitest'
import { PosternError } from '../../src/model/errors.ts'
import type { Postern } from '../../src/model/postern.ts'
import type { Store } from '../../src/store/store.ts'
import { storeWith } from '../helpers/store-with.ts'
import { verifies } from '../scenarios/verifies.ts'
import { TASK } from './bus/buses.ts'
import { project } from './handoff/handing.ts'
import { caller, conformance, contents, read, refused, type Suite, tell, type World } from './suite.ts'

const TEAM = ['quinn', 'rex', { id: 'justin', kind: 'human', isOwner: true }] as const
const KEY = 'review-7'
const AT_ONCE = 20

/** One change, another of the same kind, and what there is to be seen of them. */
interface Change {
  make(postern: Postern): Promise<unknown>
  other(postern: Postern): Promise<unknown>
  /** How often it was made. */
  count(): Promise<number>
}

type Prepare = (world: World) => Promise<Change>

const quinnOf = ({ postern }: Pick<World, 'postern'>) => postern.as(caller('quinn'))

async function countMail(postern: Postern, agent: string, isMeant: (content: string) => boolean): Promise<number> {
  const { items } = await postern.inbox.list({ agent, which: 'all', limit: 1_000 })
  return items.filter(({ content }) => isMeant(content)).length
}

const CHANGES: Readonly<Record<string, Prepare>> = {
  'decisions.create': async ({ postern }) => ({
    make: ({ decisions }) => decisions.create({ agent: 'quinn', question: 'Ship it?', ask: ['justin'] }),
    other: ({ decisions }) => decisions.create({ agent: 'quinn', question: 'Stop it?', ask: ['justin'] }),
    count: async () => (await postern.decisions.list({})).length,
  }),
  'notes.post': async ({ postern }) => {
    const on = { entity_id: 'PROJ-12', entity_type: 'task', notify: ['rex'] } as const
    return {
      make: ({ notes }) => notes.post({ ...on, note: 'Blocked' }),
      other: ({ notes }) => notes.post({ ...on, note: 'Done' }),
      count: () => countMail(postern, 'rex', (content) => content.includes('Blocked')),
    }
  },
  'bus.post': async ({ postern }) => ({
    make: ({ bus }) => bus.post({ ...TASK, body: 'The disk is full.' }),
    other: ({ bus }) => bus.post({ ...TASK, body: 'The disk is empty.' }),
    count: async () => (await postern.bus.read({ ...TASK })).items.length,
  }),
  'handoff.leave': async ({ postern }) => {
    const root = await project(postern)
    return {
      make: ({ handoff }) => handoff.leave({ project: root, type: 'learning', text: 'Mind the gap.' }),
      other: ({ handoff }) => handoff.leave({ project: root, type: 'learning', text: 'Mind the step.' }),
      count: async () => (await postern.handoff.list({ project: root })).items.length,
    }
  },
  'plans.set': async ({ postern }) => ({
    make: ({ plans }) => plans.set({ plans: [{ agent: 'quinn', instruction: 'look', runAfter: '5 hours' }] }),
    other: ({ plans }) => plans.set({ plans: [{ agent: 'quinn', instruction: 'look', runAfter: '6 hours' }] }),
    count: async () => (await postern.plans.list({ agent: 'quinn' })).length,
  }),
  'gates.resolve': async ({ postern }) => {
    const gate = { agent: 'quinn', kind: 'timer', mode: 'soft', afterMs: 60_000, reason: 'Look first' } as const
    const { id } = await quinnOf({ postern }).gates.create(gate)
    return {
      make: ({ gates }) => gates.resolve({ id, reason: 'I have looked' }),
      other: ({ gates }) => gates.resolve({ id, reason: 'I have not' }),
      count: async () => {
        const { steps } = await postern.gates.show({ id })
        return steps.filter(({ step }) => step === 'resolved').length
      },
    }
  },
  'inbox.ack': async ({ postern }) => {
    const [id, another] = [await tell(postern, 'quinn', 'one'), await tell(postern, 'quinn', 'two')]
    await read(postern, 'quinn')
    return {
      make: ({ inbox }) => inbox.ack({ agent: 'quinn', ids: [id] }),
      other: ({ inbox }) => inbox.ack({ agent: 'quinn', ids: [another] }),
      count: async () => {
        const { items } = await postern.inbox.list({ agent: 'quinn', which: 'all' })
        return items.filter(({ state }) => state === 'acted').length
      },
    }
  },
  'spaces.post': async ({ postern }) => {
    const justin = postern.as(caller('justin', 'human'))
    await justin.spaces.create({ id: 'alpha', name: 'Alpha', members: ['quinn', 'rex', 'justin'] })
    return {
      make: ({ spaces }) => spaces.post({ id: 'alpha', content: 'Hello' }),
      other: ({ spaces }) => spaces.post({ id: 'alpha', content: 'Goodbye' }),
      count: async () => (await justin.spaces.history({ id: 'alpha' })).items.length,
    }
  },
  'messages.send': async ({ postern }) => {
    const letter = { to_agent: 'rex', message_type: 'feedback', subject: 'Well done' } as const
    return {
      make: ({ messages }) => messages.send({ ...letter, payload: { text: 'It is fast.' } }),
      other: ({ messages }) => messages.send({ ...letter, payload: { text: 'It is slow.' } }),
      count: () => countMail(postern, 'rex', () => true),
    }
  },
  'inbox.push': async ({ postern }) => ({
    make: ({ inbox }) => inbox.push({ to: ['rex'], content: 'Look here' }),
    other: ({ inbox }) => inbox.push({ to: ['rex'], content: 'Look there' }),
    count: () => countMail(postern, 'rex', () => true),
  }),
  'inbox.pushMany': async ({ postern }) => ({
    make: ({ inbox }) =>
      inbox.pushMany({
        messages: [
          { to: ['rex'], content: 'One' },
          { to: ['quinn'], content: 'Two' },
        ],
      }),
    other: ({ inbox }) => inbox.pushMany({ messages: [{ to: ['rex'], content: 'Three' }] }),
    count: () => countMail(postern, 'rex', () => true),
  }),
}

/** Changes that the store alone makes. The others append to a file as well, which no transaction can undo. */
const IN_STORE = Object.keys(CHANGES).filter((name) => !['bus.post', 'handoff.leave'].includes(name))

const MOST_COMMITS = 12
const LOST = { code: 'STORE_UNAVAILABLE' }

function prepareChange(name: string, world: World): Promise<Change> {
  return CHANGES[name]?.(world) ?? expect.fail(`there is no change ${name}`)
}

/** A store whose every commit is made once without an answer: the first time that it is reached. */
function loseCommits() {
  let isLosing = false
  let lost = 0
  let budget = 0
  const lose = async <T>(commit: () => Promise<T>): Promise<T> => {
    const result = await commit()
    if (!isLosing || budget-- > 0) return result
    lost++
    budget = lost
    throw new PosternError('STORE_UNAVAILABLE', { path: 'of the test', reason: 'the connection was lost' })
  }
  return {
    through: (store: Store) =>
      storeWith(store, {
        transact: (verb, options) => lose(() => store.transact(verb, options)),
        push: (params) => lose(() => store.push(params)),
      }),
    begin: () => {
      isLosing = true
    },
    end: () => {
      isLosing = false
    },
    commits: () => lost,
  }
}

/** What has a key of its own says in its answer that it was there before; all else is the same. */
function withoutMarks(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (name, value) => (name === 'duplicate' ? undefined : value))
}

/** Under which codes another change is refused: what is pushed is known by the key that is stored with it. */
const CONFLICTS: readonly string[] = ['IDEMPOTENCY_CONFLICT', 'DEDUP_CONFLICT']

async function expectConflict(attempt: Promise<unknown>): Promise<void> {
  const error = await attempt.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(PosternError)
  const { code, next } = error as PosternError
  expect(CONFLICTS).toContain(code)
  expect(next).not.toBe('')
}

conformance('a change under a key', (suite) => {
  stateRules(suite)
  stateLooks(suite)
})

function stateRules({ rule, open }: Suite): void {
  for (const [name, prepare] of Object.entries(CHANGES)) {
    rule(`${name} is made once, and answers the same again; another under the key is refused`, async () => {
      verifies('mcp.once')
      const world = await open({ agents: TEAM })
      const { make, other, count } = await prepare(world)
      const quinn = quinnOf(world)
      const first = await make(quinn.once(KEY))
      expect(await count()).toBe(1)
      expect(withoutMarks(await make(quinn.once(KEY)))).toEqual(withoutMarks(first))
      expect(withoutMarks(await make(quinnOf({ postern: await world.again() }).once(KEY)))).toEqual(withoutMarks(first))
      await expectConflict(other(quinn.once(KEY)))
      expect(await count()).toBe(1)
    })

    rule(`${name} is made once though ${AT_ONCE} ask for it at once`, async () => {
      verifies('mcp.once')
      const world = await open({ agents: TEAM })
      const { make, count } = await prepare(world)
      const quinn = quinnOf(world)
      const outcomes = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => make(quinn.once(KEY))))
      // Here whoever is not the first is told that it is being done, and asks again; a client of a server does that itself.
      const refusals = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      for (const reason of refusals) expect(reason).toMatchObject({ code: 'IDEMPOTENCY_BUSY', retryable: true })
      const answers = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
      const again = withoutMarks(await make(quinn.once(KEY)))
      for (const answer of answers) expect(withoutMarks(answer)).toEqual(again)
      expect(answers.length).toBeGreaterThan(0)
      expect(await count()).toBe(1)
    })
  }

  for (const name of IN_STORE) {
    rule(`${name} is made once though the answer to each of its commits is lost`, async () => {
      verifies('mcp.once')
      const loss = loseCommits()
      const world = await open({ agents: TEAM, through: loss.through })
      const { make, count } = await prepareChange(name, world)
      const quinn = quinnOf(world)
      loss.begin()
      let answer: unknown
      for (let attempt = 0; answer === undefined; attempt++) {
        expect(attempt).toBeLessThan(MOST_COMMITS)
        answer = await make(quinn.once(KEY)).catch((error: unknown) => void expect(error).toMatchObject(LOST))
        // A claim whose commit was not answered belongs to no request, and passes to the next one after two minutes.
        world.advance(121_000)
      }
      loss.end()
      expect(loss.commits()).toBeGreaterThan(0)
      expect(await count()).toBe(1)
      expect(withoutMarks(await make(quinn.once(KEY)))).toEqual(withoutMarks(answer))
      expect(await count()).toBe(1)
    })
  }

  rule('is made once if its first attempt stops for longer than its claim lasts', async () => {
    verifies('mcp.once')
    const [claimed, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let state: 'idle' | 'armed' | 'claimed' | 'over' = 'idle'
    const world = await open({
      agents: TEAM,
      // The first attempt stops between its claim and its change.
      through: (store) =>
        storeWith(store, {
          async transact(verb, options) {
            if (state === 'claimed') {
              state = 'over'
              claimed.resolve()
              await resumed.promise
            }
            return store.transact((tx) => {
              const claim: typeof tx.replies.claim = (asked) => {
                if (state === 'armed') state = 'claimed'
                return tx.replies.claim(asked)
              }
              return verb({ ...tx, replies: { ...tx.replies, claim } })
            }, options)
          },
        }),
    })
    const quinn = quinnOf(world)
    const ask = () => quinn.once(KEY).decisions.create({ agent: 'quinn', question: 'Ship it?', ask: ['justin'] })
    state = 'armed'
    // A client of a server repeats a request whose key is busy.
    const slow = ask().catch((error: unknown) => void expect(error).toMatchObject({ code: 'IDEMPOTENCY_BUSY' }))
    await claimed.promise
    // A claim lasts for two minutes.
    world.advance(121_000)
    const made = await ask()
    resumed.resolve()
    expect([undefined, made]).toContainEqual(await slow)
    expect(await world.postern.decisions.list({})).toHaveLength(1)
    expect(await ask()).toEqual(made)
  })

  rule('is nothing to another caller with the same key, verified or not', async () => {
    verifies('mcp.once')
    const world = await open({ agents: TEAM })
    const { postern } = world
    const post = (asking: Postern) => asking.once(KEY).bus.post({ ...TASK, body: 'The same words' })
    const said = new Set<string>()
    for (const who of [caller('quinn'), caller('rex'), { ...caller('quinn'), verified: false }]) {
      said.add((await post(postern.as(who))).msg_id)
    }
    expect(said.size).toBeGreaterThanOrEqual(2)
    expect((await post(postern.as(caller('rex')))).msg_id).toBe([...said][1])
  })

  rule('keeps its key where somebody else is spoken for, each of whom has their own', async () => {
    verifies('mcp.once')
    const { postern } = await open({ agents: TEAM })
    const keyed = postern.as(caller('quinn')).once(KEY)
    const asRex = keyed.as(caller('rex'))
    expect(asRex.caller.id).toBe('rex')
    const first = await asRex.decisions.create({ agent: 'rex', question: 'May I?', ask: ['justin'] })
    const again = await asRex.decisions.create({ agent: 'rex', question: 'May I?', ask: ['justin'] })
    expect(again).toEqual(first)
    const { id } = await keyed.decisions.create({ agent: 'quinn', question: 'May I?', ask: ['justin'] })
    expect(id).not.toBe(first.id)
    expect(await postern.decisions.list({})).toHaveLength(2)
  })

  rule('goes by the last key that was given', async () => {
    const { postern } = await open({ agents: TEAM })
    const ask = (asking: Postern) => asking.decisions.create({ agent: 'quinn', question: 'May I?', ask: ['justin'] })
    const one = await ask(postern.once('one'))
    const other = await ask(postern.once('one').once('other'))
    expect(other.id).not.toBe(one.id)
    expect((await ask(postern.once('other'))).id).toBe(other.id)
  })

  rule('that the store could not make may be tried again under the same key', async () => {
    verifies('mcp.once')
    let isBroken = false
    const world = await open({
      agents: TEAM,
      through: (store) =>
        storeWith(store, {
          transact: (verb, options) =>
            store.transact((tx) => {
              const push: typeof tx.messages.push = (message) =>
                isBroken ? Promise.reject(new Error('the power is gone')) : tx.messages.push(message)
              return verb({ ...tx, messages: { ...tx.messages, push } })
            }, options),
        }),
    })
    const quinn = quinnOf(world)
    const post = () =>
      quinn.once(KEY).notes.post({ entity_id: 'P-1', entity_type: 'task', note: 'Blocked', notify: ['rex'] })
    isBroken = true
    await expect(post()).rejects.toThrow()
    isBroken = false
    const posted = await post()
    expect(posted.notified).toEqual(['rex'])
    expect(await post()).toEqual(posted)
    expect(await countMail(world.postern, 'rex', () => true)).toBe(1)
  })

  rule('that was refused may be tried again once nothing stands in its way', async () => {
    verifies('mcp.once')
    const { postern } = await open({ agents: TEAM })
    const ask = () => postern.once(KEY).decisions.create({ agent: 'quinn', question: 'May I?', ask: ['anna'] })
    await refused(ask(), 'AGENT_NOT_FOUND')
    await postern.agents.add({ id: 'anna', kind: 'human' })
    expect((await ask()).asked).toEqual(['anna'])
  })

  rule('is refused under a key that no header could hold, with what to do', async () => {
    verifies('mcp.once')
    const { postern } = await open({ agents: TEAM })
    for (const key of ['', ' ', 'two words', 'ключ', 'a\nb', 'a\0b', 'x'.repeat(256)]) {
      const attempt = (async () => postern.once(key).inbox.push({ to: ['rex'], content: 'x' }))()
      const { next } = await refused(attempt, 'VALUE_INVALID')
      expect(next).toContain('1 to 255 printable ASCII characters')
    }
    expect(await countMail(postern, 'rex', () => true)).toBe(0)
    await postern.once('x'.repeat(255)).inbox.push({ to: ['rex'], content: 'x' })
    await postern.once('x'.repeat(255)).inbox.push({ to: ['rex'], content: 'x' })
    await postern.once(`${'x'.repeat(254)}y`).inbox.push({ to: ['rex'], content: 'x' })
    expect(await countMail(postern, 'rex', () => true)).toBe(2)
  })
}

function stateLooks({ rule, open }: Suite): void {
  rule('may be looked at through the same Postern, which always tells how it is now', async () => {
    verifies('mcp.once')
    const { postern } = await open({ agents: TEAM })
    const keyed = postern.as(caller('quinn')).once(KEY)
    expect((await keyed.inbox.list({ agent: 'quinn' })).items).toEqual([])
    const { id } = await keyed.decisions.create({ agent: 'quinn', question: 'May I?', ask: ['justin'] })
    expect((await keyed.decisions.show({ id })).state).toBe('open')
    expect(await keyed.gates.list({ agent: 'quinn' })).toHaveLength(1)
    await postern.as(caller('justin', 'human')).decisions.respond({ id, text: 'Yes' })
    expect((await keyed.decisions.show({ id })).state).toBe('answered')
    expect((await keyed.inbox.list({ agent: 'quinn' })).items).toHaveLength(1)
    expect(await keyed.agents.list()).toHaveLength(3)
  })

  rule('may be waited for through the same Postern', async () => {
    verifies('mcp.once')
    const { postern } = await open({ agents: TEAM })
    const keyed = postern.as(caller('quinn')).once(KEY)
    const { id } = await keyed.decisions.create({ agent: 'quinn', question: 'May I?', ask: ['justin'] })
    await postern.as(caller('justin', 'human')).decisions.respond({ id, text: 'Yes' })
    expect(await keyed.decisions.await({ id, timeoutMs: 1_000 })).toMatchObject({ state: 'answered' })
    expect((await keyed.inbox.wait({ agent: 'quinn', timeoutMs: 1_000 })).pending).toBe(1)
  })

  rule('leaves no secret where answers are kept', async () => {
    verifies('mcp.once')
    let kept = ''
    const { postern } = await open({
      agents: TEAM,
      through: (store) =>
        storeWith(store, {
          single: (call) =>
            store.single((tx) => {
              const keep: typeof tx.replies.keep = (reply) => {
                kept += reply.body
                return tx.replies.keep(reply)
              }
              return call({ ...tx, replies: { ...tx.replies, keep } })
            }),
        }),
    })
    const { token } = await postern.once(KEY).tokens.create({ scope: 'agent:quinn' })
    await postern.once(KEY).agents.rename({ id: 'quinn', displayName: 'Quinn' })
    expect(kept).toContain('Quinn')
    expect(kept).not.toContain(token)
  })

  rule('takes an offer once: the same messages are handed to whoever repeats it', async () => {
    const { postern } = await open({ agents: TEAM })
    await tell(postern, 'quinn', 'one')
    const keyed = postern.once(KEY)
    const first = await keyed.inbox.drain({ agent: 'quinn' })
    expect(contents(first)).toEqual(['one'])
    expect(await keyed.inbox.drain({ agent: 'quinn' })).toEqual(first)
    expect(contents(await postern.inbox.drain({ agent: 'quinn' }))).toEqual([])
  })
}
