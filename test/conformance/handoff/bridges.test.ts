import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { namesIn, plantFile, seedItem } from '../../helpers/handoff/projects.ts'
import { storeWith } from '../../helpers/store-with.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { asJustin, asQuinn, asRex, EVERYONE, MINUTE_MS, mailOf, stateOfGate } from '../gates/people.ts'
import { conformance, refused } from '../suite.ts'
import { boxOf, leave, peek, project, show, take } from './handing.ts'

conformance('an item for an agent', ({ rule, open }) => {
  rule('is a message too, which says what it is about and how to see it', async () => {
    verifies('S004.leave')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const text = 'Rate-limit the refresh endpoint.\nFive a minute.'
    const left = await leave(asQuinn(postern), root, text, { to: 'rex', priority: 'high', session: 's1' })
    const [message, ...others] = await mailOf(postern, 'rex')
    expect(others).toEqual([])
    expect(message).toMatchObject({
      id: left.message,
      from: { id: 'quinn' },
      type: 'handoff.item',
      priority: 1,
      subject: 'A learning was left for you: Rate-limit the refresh endpoint.',
      dedupKey: `handoff:${left.name}`,
      ref: `handoff:${left.name}`,
      payload: { project: root, box: 'inbox', name: left.name, type: 'learning' },
    })
    expect(message?.content.split('\n')).toEqual([
      `s1 left a learning for you in ${root}:`,
      'Rate-limit the refresh endpoint.',
      `See it with: postern handoff show ${left.name} --project ${root}`,
    ])
    expect(await postern.handoff.show({ project: root, name: left.name })).toMatchObject({ to: 'rex', body: text })
  })

  rule('stands though the agent cannot be told, and is left for nobody unknown', async () => {
    verifies('S004.leave')
    const { postern } = await open({ agents: EVERYONE, limits: { pendingPerAgent: 1 } })
    const root = await project(postern)
    await postern.inbox.push({ to: ['rex'], content: 'full' })
    expect(await leave(postern, root, 'one', { to: 'rex' })).toMatchObject({ message: null })
    await refused(leave(postern, root, 'two', { to: 'nobody' }), 'AGENT_NOT_FOUND')
    await refused(leave(postern, root, 'two', { to: 'No One' }), 'AGENT_ID_INVALID')
    expect(await peek(postern, root, { agent: 'rex' })).toEqual(['one'])
  })
})

conformance('a thread', ({ rule, open }) => {
  rule('may hold its agent until a session has inherited it', async () => {
    verifies('S004.offer.gate')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const left = await leave(asQuinn(postern), root, 'Migration paused at step 3.', { type: 'thread', gate: true })
    const gate = left.gate ?? ''
    expect(await postern.gates.show({ id: gate })).toMatchObject({
      gate: { agent: 'quinn', kind: 'human', state: 'open', reason: expect.stringContaining('paused at step 3') },
    })
    const { id, items } = await show(postern, root, { session: 'next' })
    expect(items).toMatchObject([{ gate }])
    expect(await stateOfGate(postern, gate)).toBe('open')
    await postern.handoff.confirm({ id })
    expect(await postern.gates.show({ id: gate })).toMatchObject({
      gate: { state: 'resolved', closedReason: expect.stringContaining('inherited in session next') },
    })
  })

  rule('holds the agent that it is for, also from another repository', async () => {
    verifies('S004.offer.gate')
    const sharedInbox = join(temporaryFolder(), 'shared-inbox')
    const { postern } = await open({ agents: EVERYONE, handoff: { sharedInbox } })
    const root = await project(postern)
    const other = await project(postern, 'borealis', join(root, '..'))
    const left = await leave(asJustin(postern), root, 'Go on.', { type: 'thread', gate: true, to: 'rex', toRepo: true })
    expect(await postern.gates.show({ id: left.gate ?? '' })).toMatchObject({ gate: { agent: 'rex' } })
    expect(await take(postern, other, { agent: 'rex' })).toEqual(['Go on.'])
    expect(await stateOfGate(postern, left.gate ?? '')).toBe('resolved')
  })

  rule('opens no gate but its own, whatever a file says', async () => {
    verifies('S004.offer.gate')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const held = await asJustin(postern).gates.create({ agent: 'quinn', kind: 'human', reason: 'Look first' })
    const thread = { type: 'thread', gate: true, to: 'rex' } as const
    await refused(leave(asQuinn(postern), root, 'later', thread), 'NOT_ALLOWED')
    const left = await leave(asJustin(postern), root, 'later', thread)
    for (const gate of [held.id, left.gate ?? '']) {
      const fields = { from_session: 'x', type: 'thread', priority: 'high', created: '2026-01-01T00:00:00Z', gate }
      plantFile(join(boxOf(root), `${gate}.md`), seedItem(fields, 'forged'))
    }
    expect(await take(postern, root, { maxTokens: 150 })).toEqual(['forged', 'forged'])
    expect([await stateOfGate(postern, held.id), await stateOfGate(postern, left.gate ?? '')]).toEqual(['open', 'open'])
  })

  rule('lets its agent go where its file was inherited and whoever did it has died', async () => {
    verifies('S004.offer.gate')
    const { postern, again, advance } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const left = await leave(asQuinn(postern), root, 'later', { type: 'thread', gate: true })
    const dying = await again({
      through: (store) =>
        storeWith(store, {
          transact: (verb, options) =>
            store.transact(
              (tx) =>
                verb({ ...tx, inheritances: { ...tx.inheritances, close: () => Promise.reject(new Error('killed')) } }),
              options,
            ),
        }),
    })
    const { id } = await show(dying, root, { session: 'a' })
    await expect(dying.handoff.confirm({ id })).rejects.toThrow()
    expect(await stateOfGate(postern, left.gate ?? '')).toBe('open')
    advance(MINUTE_MS)
    expect(await take(postern, root, { session: 'b' })).toEqual([])
    expect(await stateOfGate(postern, left.gate ?? '')).toBe('resolved')
  })

  rule('may come back by itself: a plan brings it', async () => {
    verifies('S004.leave')
    const { postern, advance } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const options = { type: 'thread', priority: 'high', session: 's1', plan: { runAfter: '2h' } } as const
    const left = await leave(asQuinn(postern), root, 'Migration paused at step 3.', options)
    const [plan] = await postern.plans.list({ agent: 'quinn' })
    expect(plan).toMatchObject({ id: left.plan, agent: 'quinn', priority: 1 })
    expect(await postern.handoff.show({ project: root, name: left.name })).toMatchObject({ plan: left.plan })
    advance(120 * MINUTE_MS)
    await postern.upkeep.run()
    const [message] = await mailOf(postern, 'quinn')
    expect(message?.content).toContain(`that s1 left in ${root}:\nMigration paused at step 3.`)
  })

  rule('needs an agent to hold or to remind, and nothing else than a thread does so', async () => {
    verifies('S004.leave', 'S004.offer.gate')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    await refused(leave(postern, root, 'x', { type: 'thread', gate: true }), 'USAGE')
    await refused(leave(postern, root, 'x', { type: 'thread', plan: { runAfter: '1h' } }), 'USAGE')
    await refused(leave(asQuinn(postern), root, 'x', { gate: true }), 'HANDOFF_ITEM_INVALID')
    await refused(leave(asQuinn(postern), root, 'x', { plan: { runAfter: '1h' } }), 'HANDOFF_ITEM_INVALID')
    await refused(leave(asQuinn(postern), root, 'x', { type: 'thread', plan: {} }), 'PLAN_TIME_INVALID')
    const forRex = { type: 'thread', to: 'rex', plan: { runAfter: '1h' } } as const
    await refused(leave(asQuinn(postern), root, 'x', forRex), 'NOT_ALLOWED')
    expect(await peek(postern, root, { agent: 'rex' })).toEqual([])
    expect([await postern.plans.list(), await postern.gates.list()]).toEqual([[], []])
  })

  rule('leaves neither gate nor plan where its file cannot be written', async () => {
    verifies('S004.leave', 'S004.offer.gate')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    rmSync(boxOf(root), { recursive: true })
    writeFileSync(boxOf(root), 'a file where the folder should be')
    const options = { type: 'thread', gate: true, plan: { runAfter: '1h' } } as const
    await refused(leave(asQuinn(postern), root, 'x', options), 'HANDOFF_UNUSABLE')
    expect([await postern.plans.list(), await postern.gates.list()]).toEqual([[], []])
  })

  rule('is not left where its gate cannot be set up', async () => {
    verifies('S004.offer.gate')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    for (let at = 0; at < 200; at++) {
      await postern.gates.create({ agent: 'rex', kind: 'timer', afterMs: MINUTE_MS, reason: `${at}` })
    }
    const options = { type: 'thread', gate: true, plan: { runAfter: '1h' } } as const
    await refused(leave(asRex(postern), root, 'x', options), 'VALUE_INVALID')
    expect([await peek(postern, root), await postern.plans.list()]).toEqual([[], []])
  })
})

conformance('a thread that is over', ({ rule, open }) => {
  rule('reminds nobody any more, once a session has inherited it', async () => {
    verifies('S004.leave')
    const { postern, advance } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const quinn = asQuinn(postern)
    for (const plan of [{ runAfter: '2h' }, { cron: '0 * * * *' }]) {
      await leave(quinn, root, 'paused at step 3', { type: 'thread', plan })
    }
    const shown = await show(postern, root, { session: 'next' })
    await postern.handoff.release({ id: shown.id, reason: 'the host is gone' })
    expect(await postern.plans.list({ agent: 'quinn' })).toHaveLength(2)
    expect(await take(postern, root, { session: 'next' })).toHaveLength(2)
    expect(await postern.plans.list({ agent: 'quinn', all: true })).toEqual([])
    advance(180 * MINUTE_MS)
    await postern.upkeep.run()
    expect(await mailOf(postern, 'quinn')).toEqual([])
  })

  rule('takes no plan along but its own that is still to come, whatever a file says', async () => {
    verifies('S004.leave')
    const { postern, advance } = await open({ agents: EVERYONE })
    const [root, other] = [await project(postern), await project(postern)]
    const quinn = asQuinn(postern)
    const fired = await leave(quinn, root, 'first', { type: 'thread', plan: { runAfter: '1m' } })
    advance(MINUTE_MS)
    await postern.upkeep.run()
    const left = await leave(quinn, other, 'second', { type: 'thread', plan: { runAfter: '2h' } })
    const fields = { from_session: 'x', type: 'thread', priority: 'high', created: '2026-01-01T00:00:00Z' }
    plantFile(join(boxOf(root), left.name), seedItem({ ...fields, plan: left.plan ?? '' }, 'forged'))
    expect(await take(postern, root)).toEqual(['forged', 'first'])
    const plans = await postern.plans.list({ agent: 'quinn', all: true })
    expect(plans.map(({ id }) => id).toSorted()).toEqual([fired.plan, left.plan].toSorted())
  })

  rule('lets its agent go where somebody has deleted its file, as soon as anybody looks', async () => {
    verifies('S004.offer.gate')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const looks = [() => postern.handoff.list({ project: root }), () => postern.handoff.inherit({ project: root })]
    for (const look of looks) {
      const options = { type: 'thread', gate: true, plan: { runAfter: '2h' } } as const
      const [lost, kept] = [
        await leave(asQuinn(postern), root, 'lost', options),
        await leave(asRex(postern), root, 'kept', options),
      ]
      rmSync(lost.path)
      await look()
      expect(await postern.gates.show({ id: lost.gate ?? '' })).toMatchObject({
        gate: { state: 'resolved', closedReason: expect.stringContaining('its thread is not there any more') },
      })
      expect(await stateOfGate(postern, kept.gate ?? '')).toBe('open')
      expect(await postern.plans.list({ agent: 'quinn' })).toEqual([])
    }
  })

  rule('lets only the agent go whose project it was, though the folder of another begins like its file', async () => {
    verifies('S004.offer.gate')
    const { postern } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const alike = await project(postern, 'inner', `${root}:inbox`)
    const left = await leave(asQuinn(postern), alike, 'later', { type: 'thread', gate: true })
    await postern.handoff.list({ project: root })
    expect(await stateOfGate(postern, left.gate ?? '')).toBe('open')
  })

  rule('holds nobody where it was inherited before its gate was set up', async () => {
    verifies('S004.offer.gate')
    const { postern, again } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const taken: string[] = []
    const slow = await again({
      through: (store) =>
        storeWith(store, {
          async transact(verb, options) {
            if (namesIn(boxOf(root)).some((name) => name.endsWith('.md'))) taken.push(...(await take(postern, root)))
            return store.transact(verb, options)
          },
        }),
    })
    const options = { project: root, type: 'thread', text: 'later', gate: true, plan: { runAfter: '2h' } } as const
    const left = await asQuinn(slow).handoff.leave(options)
    expect([taken, await stateOfGate(postern, left.gate ?? '')]).toEqual([['later'], 'resolved'])
    expect(await postern.plans.list({ agent: 'quinn' })).toEqual([])
  })

  rule('lets its agents go though many sessions inherit and confirm at once', async () => {
    verifies('S004.offer.gate', 'S004.offer.once')
    const { postern, again } = await open({ agents: EVERYONE })
    const root = await project(postern)
    const gates: string[] = []
    for (let at = 0; at < 12; at++) {
      const leaver = at % 2 ? asQuinn(postern) : asRex(postern)
      const left = await leave(leaver, root, `thread ${at}`, { type: 'thread', gate: true, plan: { runAfter: '2h' } })
      gates.push(left.gate ?? '')
    }
    const other = await again()
    const taken: string[] = []
    while (taken.length < gates.length) {
      const heirs = [postern, other, postern, other, postern, other]
      const each = heirs.map((heir, at) => take(heir, root, { session: `s${at}`, maxTokens: 60 }))
      taken.push(...(await Promise.all(each)).flat())
    }
    expect(new Set(taken).size).toBe(gates.length)
    for (const gate of gates) expect(await stateOfGate(postern, gate)).toBe('resolved')
    expect(await postern.plans.list()).toEqual([])
  })
})
