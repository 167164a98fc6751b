import { describe, expect, it } from 'vitest'
import { openPostern } from '../../../src/host/open/open.ts'
import { connectPostern } from '../../../src/host/serving/node-client.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { CommandOptions } from '../../helpers/command.ts'
import { startServe } from '../../helpers/http-server.ts'
import { warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'
import { withPeople } from './people.ts'

/** What differs from one home to the next: ids, times and hashes. */
function withoutChance(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(/\b(msg|con|par)_[0-9A-Z]{26}\b/g, '$1_ID')
    .replaceAll(/\b\d{10}\.\d{9}\b/g, 'CONSENSUS')
    .replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/"(\w+At|updatedAt)":\d{13}/g, '"$1":"TIME"')
    .replaceAll(/\b[0-9a-f]{96}\b/g, 'HASH')
    .replaceAll(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replaceAll(/"message":"[\w+/=]+"/g, '"message":"BYTES"')
  return JSON.parse(text)
}

const SENT = { to_agent: 'justin', message_type: 'fyi', subject: 'Hello', payload: { text: 'All of it.' } } as const
const NOTE = { entity_id: 'PROJ-12', entity_type: 'task', note: 'Settled.', notify: ['mindy', 'bob'] } as const

async function byLibrary(postern: Postern): Promise<readonly unknown[]> {
  const { messages, notes, ledger } = postern
  const sent = await messages.send(SENT)
  return [
    sent,
    await notes.post(NOTE),
    await notes.list({ entity_id: 'PROJ-12', entity_type: 'task' }),
    await ledger.emit({ topic: 'task:PROJ-12', type: 'task.blocked', subject: 'No runner' }),
    await ledger.read({ topic: 'task:PROJ-12' }),
    await ledger.read({ topic: sent.messages[0]?.topic_id ?? '' }),
    await ledger.profile({ agent: 'quinn' }).then(({ ledger }) => ledger),
    await ledger.status(),
    await ledger.topics({}),
  ]
}

async function byCommand(options: CommandOptions): Promise<readonly unknown[]> {
  const run = (...words: readonly string[]) => warmPosternJson<Record<string, unknown>>(options, ...words)
  const send = ['message', 'send', 'justin', '--subject', 'Hello', '--as', 'quinn', 'All of it.']
  const sent = (await run(...send)) as { messages?: { topic_id: string }[] }
  return [
    sent,
    await run('note', 'post', 'task:PROJ-12', '--notify', 'mindy,bob', '--as', 'quinn', 'Settled.'),
    await run('note', 'list', 'task:PROJ-12'),
    await run('ledger', 'emit', 'task:PROJ-12', 'task.blocked', 'No runner', '--as', 'quinn'),
    await run('ledger', 'read', 'task:PROJ-12'),
    await run('ledger', 'read', sent.messages?.[0]?.topic_id ?? ''),
    (await run('ledger', 'profile', 'quinn'))['ledger'],
    await run('ledger', 'status'),
    (await run('ledger', 'topics'))['items'],
  ]
}

describe('command line, HTTP and library', () => {
  it('answer alike', async () => {
    verifies('S003.parity')
    const homes = [await withPeople(), await withPeople(), await withPeople()] as const
    const caller = { id: 'quinn', kind: 'ai', verified: false, via: 'sdk' } as const

    const local = await openPostern({ home: homes[0].home, upkeep: false })
    const answers = withoutChance(await byLibrary(local.as(caller)))
    await local.close()

    const served = await startServe({ home: homes[1].home })
    const remote = await connectPostern({ url: served.url, token: served.token, caller })
    expect(withoutChance(await byLibrary(remote))).toEqual(answers)
    await remote.close()

    expect(withoutChance(await byCommand(homes[2]))).toEqual(answers)
  })

  it('keep to themselves who they are: an agent may not speak for another, and administers nothing', async () => {
    verifies('S003.permissions')
    const { home } = await withPeople()
    const served = await startServe({ home })
    const { token } = (await served.ask('POST /api/v1/tokens', { body: { scope: 'agent:quinn' } })).body
    const status = async (route: string, body?: object) => (await served.ask(route, { token, body })).status
    expect(await status('POST /api/v1/ledger/messages', SENT)).toBe(201)
    expect(await status('POST /api/v1/ledger/setup', {})).toBe(403)
    expect(await status('GET /api/v1/ledger/parcels')).toBe(403)
    expect(await status('PATCH /api/v1/ledger/profiles/mindy', { bio: 'Not mine' })).toBe(403)
    expect(await status('PATCH /api/v1/ledger/profiles/quinn', { bio: 'Mine' })).toBe(200)
    expect(await status('POST /api/v1/ledger/messages', { ...SENT, from_agent: 'mindy' })).toBe(422)
    const headers = { 'postern-as': JSON.stringify({ id: 'mindy', kind: 'ai', verified: true, via: 'http' }) }
    for (const [route, body] of [
      ['POST /api/v1/ledger/messages', SENT],
      ['POST /api/v1/ledger/notes', NOTE],
      ['POST /api/v1/ledger/events', { topic: 'task:PROJ-12', type: 'task.blocked' }],
      ['POST /api/v1/ledger/connections', { inbound_topic_id: '0.0.1042' }],
    ] as const) {
      expect((await served.ask(route, { token, body, headers })).status, route).toBe(403)
    }
    expect(await status('GET /api/v1/ledger/connections?agent=mindy')).toBe(403)
    expect(await status('POST /api/v1/ledger/connections', { agent: 'mindy', inbound_topic_id: '0.0.1042' })).toBe(403)
  })

  it('an agent reads no inbox of another by way of its topic', async () => {
    verifies('S003.permissions')
    const { home } = await withPeople()
    const served = await startServe({ home })
    const tokenOf = async (scope: string) =>
      (await served.ask('POST /api/v1/tokens', { body: { scope } })).body.token as string
    const [quinn, mindy] = [await tokenOf('agent:quinn'), await tokenOf('agent:mindy')]
    const { body } = await served.ask('POST /api/v1/ledger/messages', { token: quinn, body: SENT })
    const topic = body.messages[0].topic_id
    const read = async (token: string) =>
      (await served.ask(`GET /api/v1/ledger/topics/${topic}/entries`, { token })).status
    expect(await read(await tokenOf('human:justin'))).toBe(200)
    expect(await read(mindy)).toBe(403)
  })
})
