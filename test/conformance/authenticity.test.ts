import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { InboxMessage } from '../../src/model/delivery.ts'
import type { Message } from '../../src/model/message.ts'
import type { Postern } from '../../src/model/postern.ts'
import { renderDrain } from '../../src/render/drain.ts'
import { MESSAGE_COLUMNS, messageValues } from '../../src/store/rows.ts'
import type { Store } from '../../src/store/store.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { presentOf, toldSince } from './events/telling.ts'
import { asJustin, asQuinn, EVERYONE, gateOf } from './gates/people.ts'
import { conformance, read, stateOf, tell } from './suite.ts'

const KEY = 'secret.key'

/** The checksum that a message would have with other fields, as somebody computes it who knows how. */
function checksumWith(message: Message, changes: Partial<Message>): number {
  return messageValues({ ...message, ...changes }, undefined)[MESSAGE_COLUMNS.indexOf('checksum')] as number
}

/** A change of a row that the checksum does not show. */
async function forgery(postern: Postern, id: string): Promise<string> {
  const { message } = await postern.inbox.show({ id })
  const checksum = checksumWith(message, { content: 'pay 900' })
  return `UPDATE messages SET content = 'pay 900', checksum = ${checksum} WHERE id = '${id}'`
}

/** The contents of an inbox, and whether each message is shown without a doubt. */
async function proofs(postern: Postern, agent = 'quinn'): Promise<(readonly [string, boolean])[]> {
  const { items } = await postern.inbox.list({ agent, which: 'all' })
  return items.map(({ content, authenticated }) => [content, authenticated ?? true])
}

const isDoubted = ({ authenticated }: Message | InboxMessage) => authenticated === false

conformance('the proof that a message is as it was pushed', ({ rule, open }) => {
  rule('exists for messages from every source, and is not mentioned when it is right', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const first = await tell(postern, 'quinn', 'one')
    await postern.inbox.pushMany({ messages: ['two', 'three'].map((content) => ({ to: ['quinn', 'rex'], content })) })
    await asJustin(postern).inbox.push({ to: ['all'], content: 'broadcast', replyTo: first })
    await postern.inbox.push({
      to: ['quinn'],
      content: 'with everything',
      subject: 'é\u{1f600}',
      payload: { n: 0.1 },
      context: ['x'],
      dedupKey: 'k',
      ttlMs: 60_000,
      ref: 'task:1',
    })
    await asQuinn(postern).spaces.create({ id: 'board', name: 'Board', members: ['rex'] })
    await asQuinn(postern).inbox.push({ to: ['space:board'], content: 'post' })
    await gateOf(postern)
    await postern.inbox.drain({ agent: 'rex' })
    for (const agent of ['quinn', 'rex', 'justin']) {
      const { items } = await postern.inbox.list({ agent, which: 'all' })
      expect(items.length).toBeGreaterThan(0)
      for (const item of items) expect(item).not.toHaveProperty('authenticated')
    }
    const { message, thread } = await postern.inbox.show({ id: first })
    expect([message, ...thread, ...(await postern.inbox.search({ query: 'one' }))].some(isDoubted)).toBe(false)
  })

  rule('is missing from a row that was changed together with its checksum, wherever it is shown', async () => {
    const { postern, tamper } = await open({ agents: EVERYONE })
    const after = await presentOf(postern)
    const id = await tell(postern, 'quinn', 'pay 100')
    await tamper(await forgery(postern, id))
    expect(await proofs(postern)).toEqual([['pay 900', false]])
    const { message, thread } = await postern.inbox.show({ id })
    const found = await postern.inbox.search({ query: 'pay' })
    expect([message, ...thread, ...found].map(isDoubted)).toEqual([true, true, true])
    expect((await toldSince(postern, after)).events[0]?.data).toMatchObject({ id, authenticated: false })
    const drained = await postern.inbox.drain({ agent: 'quinn' })
    expect(drained.messages.map(isDoubted)).toEqual([true])
    expect(renderDrain(drained, { nonce: 'abcdefgh' })).toMatch(/^├─ 1\/1 · .* · not authenticated$/m)
  })

  rule('covers every column but the checksum; a proven message survives a changed checksum', async () => {
    const { postern, tamper } = await open()
    const changes = MESSAGE_COLUMNS.filter((column) => !/^(?:id|checksum|mac)$/.test(column)).map((column) => {
      if (/^(?:priority|hops|created_at|expires_at)$/.test(column)) return `${column} = 1`
      return column === 'extras' ? `extras = '{"payload":1}'` : `${column} = 'message/unverified/x'`
    })
    for (const change of [...changes, `mac = 'x'`, 'mac = NULL']) {
      const id = await tell(postern, 'quinn', change.replaceAll("'", ''))
      await tamper(`UPDATE messages SET ${change}, checksum = NULL WHERE id = '${id}'`)
      expect([change, isDoubted((await postern.inbox.show({ id })).message)]).toEqual([change, true])
    }
    const id = await tell(postern, 'quinn', 'sound')
    await tamper(`UPDATE messages SET checksum = checksum + 1 WHERE id = '${id}'`)
    const { message } = await postern.inbox.show({ id })
    expect([message.content, message.damaged, isDoubted(message)]).toEqual(['sound', undefined, false])
  })

  rule('never quarantines a message that lacks it', async () => {
    const { postern, tamper } = await open({ agents: EVERYONE })
    const forged = await tell(postern, 'quinn', 'pay 100')
    await tamper(await forgery(postern, forged))
    const [old, other] = [await tell(postern, 'quinn', 'old'), await tell(postern, 'quinn', 'other key')]
    await tamper(`UPDATE messages SET checksum = NULL, mac = NULL WHERE id = '${old}'`)
    await tamper(`UPDATE messages SET mac = '0123456789abcdef0123456789abcdef01234567' WHERE id = '${other}'`)
    expect(await read(postern, 'quinn')).toEqual(['pay 900', 'old', 'other key'])
    expect([await stateOf(postern, forged), await read(postern, 'justin')]).toEqual(['seen', []])
  })

  rule('is missing from rows of older stores and of the SQL view, and from messages of another home', async () => {
    const [home, other] = [temporaryFolder(), temporaryFolder()]
    const { postern, again, tamper } = await open({ home })
    await tell(postern, 'quinn', 'old')
    await tamper('UPDATE messages SET checksum = NULL, mac = NULL')
    const elsewhere = await again({ home: other })
    await tell(elsewhere, 'quinn', 'elsewhere')
    await tell(postern, 'quinn', 'here')
    const seen = (here: boolean) => [
      ['old', false],
      ['elsewhere', !here],
      ['here', here],
    ]
    expect(await proofs(postern)).toEqual(seen(true))
    expect(await proofs(elsewhere)).toEqual(seen(false))
  })

  rule('needs the key of the home, which homes may share; no reader makes one', async () => {
    const [home, keyless, sharing, broken] = [
      temporaryFolder(),
      temporaryFolder(),
      temporaryFolder(),
      temporaryFolder(),
    ]
    const { postern, again } = await open({ home })
    await tell(postern, 'quinn', 'hello')
    expect(await proofs(await again({ home: keyless }))).toEqual([['hello', false]])
    expect(existsSync(join(keyless, KEY))).toBe(false)
    writeFileSync(join(sharing, KEY), readFileSync(join(home, KEY)))
    expect(await proofs(await again({ home: sharing }))).toEqual([['hello', true]])
    writeFileSync(join(broken, KEY), 'no key')
    expect(await proofs(await again({ home: broken }))).toEqual([['hello', false]])
    rmSync(join(home, KEY))
    expect(await proofs(await again({ home }))).toEqual([['hello', false]])
  })

  rule('is not needed for a push: without a usable key a message is stored without it', async () => {
    const home = temporaryFolder()
    writeFileSync(join(home, KEY), 'no key')
    const { postern } = await open({ home })
    await tell(postern, 'quinn', 'one')
    await tell(postern, 'quinn', 'two')
    expect(await proofs(postern)).toEqual([
      ['one', false],
      ['two', false],
    ])
    expect(readFileSync(join(home, KEY), 'utf8')).toBe('no key')
  })

  rule('stays with a message that gets a further recipient or is taken back', async () => {
    const { postern } = await open({ agents: EVERYONE })
    const push = { content: 'hello', dedupKey: 'k' }
    await postern.inbox.push({ ...push, to: ['quinn'] })
    await postern.inbox.push({ ...push, to: ['quinn', 'rex'] })
    expect([await proofs(postern), await proofs(postern, 'rex')]).toEqual([[['hello', true]], [['hello', true]]])
    const { id } = await postern.inbox.push({ to: ['all'], content: 'to all' })
    await postern.inbox.cancel({ id })
    expect(isDoubted((await postern.inbox.show({ id })).message)).toBe(false)
  })

  rule('is not renewed for a row that was changed before, nor by another home', async () => {
    const [home, other] = [temporaryFolder(), temporaryFolder()]
    const { postern, again, tamper } = await open({ agents: EVERYONE, home })
    const { id } = await postern.inbox.push({ to: ['quinn'], content: 'pay 100', dedupKey: 'k' })
    await tamper(await forgery(postern, id))
    await postern.inbox.push({ to: ['quinn', 'rex'], content: 'pay 900', dedupKey: 'k' })
    expect(await proofs(postern, 'rex')).toEqual([['pay 900', false]])

    await postern.inbox.push({ to: ['quinn'], content: 'hello', dedupKey: 'l' })
    const elsewhere = await again({ home: other })
    await elsewhere.inbox.push({ to: ['quinn', 'anna'], content: 'hello', dedupKey: 'l' })
    expect(await proofs(elsewhere, 'anna')).toEqual([['hello', false]])
    expect(await proofs(postern, 'anna')).toEqual([['hello', false]])
    expect(await read(postern, 'anna')).toEqual(['hello'])
  })

  rule('is checked by a full check, which names a row that was changed and says nothing of other keys', async () => {
    const home = temporaryFolder()
    let stored: Store | undefined
    const through = (store: Store) => {
      stored = store
      return store
    }
    const { postern, again, tamper } = await open({ home, through })
    const id = await tell(postern, 'quinn', 'pay 100')
    const old = await tell(postern, 'quinn', 'old')
    await tell(await again({ home: temporaryFolder(), through: (store) => store }), 'quinn', 'elsewhere')
    await tamper(`UPDATE messages SET mac = NULL WHERE id = '${old}'`)
    expect((await stored?.verify())?.faults).toEqual([])
    await tamper(await forgery(postern, id))
    expect((await stored?.verify())?.faults).toEqual([
      `message ${id} has a MAC that does not match its row, so the row was changed after it was stored; it is shown as not authenticated`,
    ])
  })
})
