import { expect } from 'vitest'
import type { PushMessage } from '../../src/model/postern.ts'
import { verifies } from '../scenarios/verifies.ts'
import { caller, conformance, read, refused, stateOf, stepsOf, tell } from './suite.ts'

const NOTICE: PushMessage = { to: ['quinn'], content: 'CI run 42 started', dedupKey: 'ci-run-42' }

conformance('dedup', ({ rule, open }) => {
  rule('returns the first id for the same key and shows the message once', async () => {
    verifies('G3.same-id', 'G4.exactly-once')
    const { postern, advance } = await open()
    const first = await postern.inbox.push(NOTICE)
    advance(60_000)
    const second = await postern.inbox.push(NOTICE)
    expect(first).toMatchObject({ duplicate: false, recipients: [{ duplicate: false }] })
    expect(second).toEqual({
      id: first.id,
      duplicate: true,
      recipients: [{ agent: 'quinn', state: 'pending', duplicate: true }],
    })
    expect(await read(postern, 'quinn')).toEqual(['CI run 42 started'])
  })

  rule('refuses a key that Postern makes itself, by each of its beginnings, and leaves the others free', async () => {
    verifies('G3.same-id')
    const { postern } = await open()
    const ulid = '01HX0000000000000000000000'
    const reserved = ['http:', 'once:', 'bus:', 'handoff:', 'wake:', 'inbox:', 'postern:', `gate:gate_${ulid}`]
      .concat(`decision:dec_${ulid}`, `svc:svc_${ulid}`, `plan_${ulid}+1`)
      .concat('ledger:msg_1', 'note:msg_1', 'event:msg_1', 'ledger:0.0.1', 'note:0.0.1', 'event:0.0.1')
    const as = [postern.as(caller('rex')), postern.as(caller('rex', 'service'))]
    for (const { inbox } of as) {
      for (const prefix of reserved) {
        const pushed = inbox.push({ ...NOTICE, dedupKey: `${prefix}x` })
        await refused(pushed, 'VALUE_INVALID')
      }
    }
    const free = ['decision:x', 'gate:x', 'mail:x', 'broadcast:x', 'svc:x', 'httpx:x', 'note:x', 'ci:http:x']
    for (const dedupKey of free) {
      expect(await as[0]?.inbox.push({ ...NOTICE, dedupKey })).toMatchObject({ duplicate: false })
    }
  })

  rule('says of a repeated push how far the first has come', async () => {
    const { postern } = await open()
    const { id } = await postern.inbox.push(NOTICE)
    await read(postern, 'quinn')
    expect(await postern.inbox.push(NOTICE)).toMatchObject({ id, duplicate: true, recipients: [{ state: 'seen' }] })
    await postern.inbox.ack({ agent: 'quinn', ids: [id] })
    expect(await postern.inbox.push(NOTICE)).toMatchObject({ id, duplicate: true, recipients: [{ state: 'acted' }] })
    expect(await read(postern, 'quinn')).toEqual([])
  })

  rule('takes a payload for the same however often it is repeated', async () => {
    const { postern } = await open()
    const push = { ...NOTICE, payload: { z: 1, a: { y: 0.1, b: [] } }, context: { deep: [{ k: 'é' }] } }
    const { id } = await postern.inbox.push(push)
    expect(await postern.inbox.push(push)).toMatchObject({ id, duplicate: true })
  })

  rule('does not mind a repeated push with another time to live', async () => {
    const { postern } = await open()
    const { id } = await postern.inbox.push({ ...NOTICE, ttlMs: 1_000 })
    expect(await postern.inbox.push({ ...NOTICE, ttlMs: 2_000 })).toMatchObject({ id, duplicate: true })
  })

  rule('delivers a repeated message anew to those who would never be shown it otherwise', async () => {
    verifies('G3.same-id')
    const { postern, advance } = await open({ agents: ['quinn', 'rex', 'mindy'] })
    const brief = { ...NOTICE, to: ['mindy', 'quinn'], ttlMs: 1_000 }
    const { id } = await postern.inbox.push(brief)
    expect(await read(postern, 'mindy')).toEqual(['CI run 42 started'])
    advance(1_000)
    const again = await postern.inbox.push({ ...brief, to: ['mindy', 'quinn', 'rex'], ttlMs: 60_000 })
    expect(again).toMatchObject({
      id,
      duplicate: false,
      recipients: [
        { agent: 'mindy', state: 'seen', duplicate: true },
        { agent: 'quinn', state: 'pending', duplicate: false },
        { agent: 'rex', state: 'pending', duplicate: false },
      ],
    })
    expect([await read(postern, 'quinn'), await read(postern, 'rex')]).toEqual([[NOTICE.content], [NOTICE.content]])
    expect((await postern.inbox.push(brief)).duplicate).toBe(true)
    expect(await stepsOf(postern, id, 'quinn')).toContain('requeued')
  })

  rule('delivers a repeated message anew after it was taken back, and after its agent came back', async () => {
    const { postern, advance } = await open()
    const { id } = await postern.inbox.push(NOTICE)
    await postern.inbox.cancel({ id })
    expect(await postern.inbox.pushMany({ messages: [NOTICE, NOTICE] })).toMatchObject([
      { id, duplicate: false },
      { id, duplicate: true },
    ])
    await postern.agents.remove({ id: 'quinn' })
    await postern.agents.add({ id: 'quinn', restore: true })
    advance(1)
    expect(await postern.inbox.push({ ...NOTICE, ttlMs: 1_000 })).toMatchObject({ id, duplicate: false })
    advance(1_000)
    await postern.upkeep.run()
    expect(await stateOf(postern, id)).toBe('expired')
    expect((await postern.inbox.push(NOTICE)).duplicate).toBe(false)
    expect(await read(postern, 'quinn')).toEqual([NOTICE.content])
  })

  rule('counts a repeated message that is delivered anew against the rate of its sender', async () => {
    const { postern } = await open({ agents: ['ada', 'quinn'], limits: { pairBurst: 1, pairPerMinute: 1 } })
    const { inbox } = postern.as(caller('ada'))
    const { id } = await inbox.push(NOTICE)
    await inbox.cancel({ id })
    expect(await inbox.push(NOTICE)).toMatchObject({ id, duplicate: false, recipients: [{ state: 'held' }] })
  })

  rule('refuses the same key with anything else said', async () => {
    verifies('G3.conflict')
    const { postern } = await open({ agents: ['quinn', 'rex'] })
    const { id } = await postern.inbox.push(NOTICE)
    const others: Partial<PushMessage>[] = [
      { content: 'CI run 42 failed' },
      { subject: 'CI' },
      { type: 'alert' },
      { priority: 0 },
      { payload: { run: 42 } },
      { context: { run: 42 } },
      { ref: 'ci:42' },
      { replyTo: id },
    ]
    for (const other of others) {
      const error = await refused(postern.inbox.push({ ...NOTICE, ...other }), 'DEDUP_CONFLICT')
      expect(error.details).toMatchObject({ key: 'ci-run-42', agent: 'quinn', id })
    }
    await refused(postern.as(caller('rex')).inbox.push(NOTICE), 'DEDUP_CONFLICT')
    expect((await postern.inbox.list({ which: 'all' })).items).toHaveLength(1)
  })

  rule('counts a key for each recipient for itself', async () => {
    verifies('S000.dedup.per-recipient')
    const { postern } = await open({ agents: ['quinn', 'rex'] })
    const toQuinn = await postern.inbox.push(NOTICE)
    const toRex = await postern.inbox.push({ ...NOTICE, to: ['rex'], content: 'something else under the same key' })
    expect(toRex).toMatchObject({ duplicate: false })
    expect(toRex.id).not.toBe(toQuinn.id)
    expect(await read(postern, 'rex')).toEqual(['something else under the same key'])
  })

  rule('reaches with a repeated push whoever it had not reached, under the first id', async () => {
    verifies('S000.dedup.per-recipient')
    const { postern } = await open({ agents: ['ada', 'quinn', 'rex'] })
    const { id } = await postern.inbox.push(NOTICE)
    expect(await postern.inbox.push({ ...NOTICE, to: ['rex', 'quinn', 'ada'] })).toEqual({
      id,
      duplicate: false,
      recipients: [
        { agent: 'ada', state: 'pending', duplicate: false },
        { agent: 'quinn', state: 'pending', duplicate: true },
        { agent: 'rex', state: 'pending', duplicate: false },
      ],
    })
    expect((await postern.inbox.show({ id })).message.to).toEqual(['ada', 'quinn', 'rex'])
    for (const agent of ['ada', 'quinn', 'rex']) expect(await read(postern, agent)).toEqual(['CI run 42 started'])
  })

  rule('keeps the time to live of the first push for whoever is reached later', async () => {
    const { postern, now, advance } = await open({ agents: ['quinn', 'rex'] })
    const { id } = await postern.inbox.push({ ...NOTICE, ttlMs: 1_000 })
    const expiresAt = now() + 1_000
    advance(500)
    await postern.inbox.push({ ...NOTICE, to: ['quinn', 'rex'] })
    const { message, deliveries } = await postern.inbox.trace({ id })
    expect([message.expiresAt, ...deliveries.map((delivery) => delivery.expiresAt)]).toEqual([
      expiresAt,
      expiresAt,
      expiresAt,
    ])
  })

  rule('stores nothing for anybody where one recipient knows the key for something else', async () => {
    verifies('G2.all-or-nothing', 'G3.conflict')
    const { postern } = await open({ agents: ['ada', 'quinn'] })
    await postern.inbox.push(NOTICE)
    await refused(postern.inbox.push({ ...NOTICE, to: ['ada', 'quinn'], content: 'other' }), 'DEDUP_CONFLICT')
    expect((await postern.inbox.list({ agent: 'ada', which: 'all' })).items).toEqual([])
  })

  rule('finds the repetition within one batch', async () => {
    verifies('G3.same-id')
    const { postern } = await open()
    const [first, second] = await postern.inbox.pushMany({ messages: [NOTICE, NOTICE] })
    expect(second).toEqual({
      id: first?.id,
      duplicate: true,
      recipients: [{ agent: 'quinn', state: 'pending', duplicate: true }],
    })
    await refused(
      postern.inbox.pushMany({
        messages: [
          { ...NOTICE, dedupKey: 'a' },
          { ...NOTICE, dedupKey: 'a', content: 'b' },
        ],
      }),
      'DEDUP_CONFLICT',
    )
    expect(await read(postern, 'quinn')).toEqual(['CI run 42 started'])
  })

  rule('keeps messages without a key apart, however alike they are', async () => {
    const { postern } = await open()
    const ids = [await tell(postern, 'quinn', 'ping'), await tell(postern, 'quinn', 'ping')]
    expect(new Set(ids).size).toBe(2)
    expect(await read(postern, 'quinn')).toEqual(['ping', 'ping'])
  })

  rule("refuses the keys that Postern makes, so nobody takes another sender's key", async () => {
    verifies('G3.conflict')
    const { postern } = await open({ agents: ['quinn', 'mallory', { id: 'founder', kind: 'human' }] })
    const mallory = postern.as(caller('mallory'))
    const keys = [
      'http:human:founder:release-42',
      'http:admin:human:founder:release-42',
      'http:ai:mallory2:x',
      'once:human:founder:x',
      'bus:20261118-1',
      'handoff:2026-11-18-main.md',
      'wake:spent:quinn:2026-11-18',
      'inbox:42',
      'postern:held:pair:a:b',
    ]
    for (const dedupKey of keys) {
      const { next } = await refused(mallory.inbox.push({ ...NOTICE, dedupKey }), 'VALUE_INVALID')
      expect(next).toContain(`"${dedupKey.split(':')[0]}:"`)
    }
    for (const other of [postern, postern.as(caller('founder', 'human'))])
      await refused(other.inbox.push({ ...NOTICE, dedupKey: 'wake:spent:quinn:2026-11-18' }), 'VALUE_INVALID')
    const sent = await postern.as(caller('founder', 'human')).once('release-42').inbox.push(NOTICE)
    expect(sent.duplicate).toBe(false)
    for (const dedupKey of ['decision:42', 'gate:42', 'mail:42', 'broadcast:42']) {
      expect(await mallory.inbox.push({ ...NOTICE, dedupKey })).toMatchObject({ duplicate: false })
    }
  })

  rule('tells keys apart by every character', async () => {
    const { postern } = await open()
    const keys = ['key', 'Key', 'key ', 'k\u00e9y', 'ke\u0301y', '%', '_', 'a'.repeat(300), `${'a'.repeat(299)}b`]
    for (const dedupKey of keys) {
      expect(await postern.inbox.push({ ...NOTICE, dedupKey }), dedupKey).toMatchObject({ duplicate: false })
    }
    expect((await postern.inbox.list({ agent: 'quinn' })).items).toHaveLength(keys.length)
  })
})
