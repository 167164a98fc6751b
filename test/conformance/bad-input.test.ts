import { expect } from 'vitest'
import type { PosternError } from '../../src/model/errors.ts'
import type { PushMessage } from '../../src/model/postern.ts'
import type { Priority } from '../../src/model/priority.ts'
import { verifies } from '../scenarios/verifies.ts'
import { conformance, read, refused, tell } from './suite.ts'

const HOSTILE_IDS = [
  '',
  ' ',
  '.',
  '..',
  '../x',
  '/etc/passwd',
  '*',
  '>',
  'a.b',
  'a,b',
  'a\0',
  '\0',
  'a\nb',
  'Quinn',
  'qüinn',
  '-x',
  'x-',
  'a'.repeat(300),
  '\ud800',
  "'; DROP TABLE agents; --",
  '$1',
  '?1',
  '%',
  'x\u200by',
  'x\u202ey',
  '🚪',
  'all:quinn',
]
const BAD_TEXTS = ['\ud800', 'a\udfffb', 'a\0b'] as const

conformance('bad input', ({ rule, open }) => {
  rule('refuses a hostile id wherever an agent is named, and stores nothing', async () => {
    verifies('G14.names')
    const { postern } = await open({ agents: [] })
    for (const id of HOSTILE_IDS) {
      const attempts: (() => Promise<unknown>)[] = [
        () => postern.agents.add({ id }),
        () => postern.agents.show({ id }),
        () => postern.agents.remove({ id }),
        () => postern.inbox.push({ to: [id], content: 'hello', create: true }),
        () => postern.inbox.push({ to: [id, 'quinn'], content: 'hello', create: true }),
        () => postern.inbox.drain({ agent: id }),
        () => postern.inbox.wait({ agent: id, timeoutMs: 1 }),
        () => postern.inbox.list({ agent: id }),
        () => postern.inbox.list({ after: `${id}:1` }),
        () => postern.inbox.ack({ agent: id, ids: ['msg_x'] }),
        () => postern.sessions.begin({ id: 'ses-1', agent: id }),
        () => postern.inbox.search({ query: 'x', agent: id }),
        () => postern.inbox.held({ agent: id }),
        () => postern.inbox.dead({ agent: id }),
        () => postern.inbox.cancel({ id: 'msg_x', agent: id }),
        () => postern.sessions.list({ agent: id }),
      ]
      for (const [i, attempt] of attempts.entries()) {
        const error = await attempt().catch((thrown: unknown) => thrown as PosternError)
        expect(error, `${i}: ${JSON.stringify(id)}`).toMatchObject({
          code: expect.stringMatching(/_INVALID$/),
          exit: 64,
        })
      }
    }
    expect(await postern.agents.list({ removed: true })).toEqual([])
    expect((await postern.inbox.list({ which: 'all' })).items).toEqual([])
  })

  rule('shows a hostile id in its answer without its control characters', async () => {
    const { postern } = await open()
    const error = await refused(postern.agents.add({ id: 'a\u001b[2J\u202e\n' }), 'AGENT_ID_INVALID')
    expect(error.message).not.toMatch(/[\u001b\u202e\n]/)
  })

  rule('finds no message, session or offer under a hostile id', async () => {
    const { postern } = await open()
    for (const id of HOSTILE_IDS) {
      await refused(postern.inbox.show({ id }), 'MESSAGE_NOT_FOUND')
      await refused(postern.inbox.trace({ id }), 'MESSAGE_NOT_FOUND')
      await refused(postern.inbox.cancel({ id }), 'MESSAGE_NOT_FOUND')
      await refused(postern.inbox.ack({ agent: 'quinn', ids: [id] }), 'MESSAGE_NOT_FOUND')
      await refused(postern.inbox.retryDead({ id }), 'MESSAGE_NOT_FOUND')
      await refused(postern.inbox.releaseHeld({ id }), 'MESSAGE_NOT_FOUND')
      await refused(postern.inbox.push({ to: ['quinn'], content: 'hello', replyTo: id }), 'MESSAGE_NOT_FOUND')
      await refused(postern.inbox.printed({ offerId: id }), 'OFFER_NOT_FOUND')
      await refused(postern.inbox.confirm({ offerId: id, evidence: 'x' }), 'OFFER_NOT_FOUND')
      await refused(postern.inbox.release({ offerId: id, reason: 'x' }), 'OFFER_NOT_FOUND')
    }
    for (const id of ['', 'a b', 'a/b', 'a\\b', 'a\0', '\u00e9', 's'.repeat(300), '\ud800']) {
      await refused(postern.sessions.begin({ id, agent: 'quinn' }), 'SESSION_INVALID')
      await refused(postern.sessions.end({ id }), 'SESSION_INVALID')
      await refused(postern.inbox.confirmSession({ sessionId: id, printedBefore: 1, evidence: 'x' }), 'SESSION_INVALID')
    }
  })

  rule('refuses a bad drain whether or not anything waits', async () => {
    const { postern } = await open()
    for (const step of ['empty', 'waiting']) {
      const drain = (input: object) => postern.inbox.drain({ agent: 'quinn', ...input })
      for (const maxMessages of [0, -1, 1.5, Number.NaN, 1_000_001])
        await refused(drain({ maxMessages }), 'VALUE_INVALID')
      for (const room of [0, -1, 0.5, Number.NaN]) {
        await refused(drain({ maxCharacters: room }), 'VALUE_INVALID')
        await refused(drain({ maxTokens: room }), 'VALUE_INVALID')
      }
      for (const maxPriority of [-1, 5, 1.5])
        await refused(drain({ maxPriority: maxPriority as Priority }), 'PRIORITY_INVALID')
      await refused(drain({ sessionId: '../x y' }), 'SESSION_INVALID')
      if (step === 'empty') await tell(postern, 'quinn', 'hello')
    }
    expect(await read(postern, 'quinn')).toEqual(['hello'])
  })

  rule('refuses an empty message', async () => {
    const { postern } = await open()
    for (const content of ['', ' ', '\n\t ', '\u00a0\u2003']) {
      await refused(postern.inbox.push({ to: ['quinn'], content }), 'CONTENT_EMPTY')
    }
    expect((await postern.inbox.list({ which: 'all' })).items).toEqual([])
  })

  rule('refuses a priority outside 0 to 4', async () => {
    const { postern } = await open()
    for (const priority of [-1, 5, 1.5, Number.NaN, '5', 'urgent', {}]) {
      await refused(
        postern.inbox.push({ to: ['quinn'], content: 'hello', priority: priority as Priority }),
        'PRIORITY_INVALID',
      )
    }
  })

  rule('refuses a type that could pose as something else', async () => {
    const { postern } = await open()
    for (const type of [
      '',
      'Alert',
      'a b',
      '.a',
      'a.',
      'a..b',
      '1a',
      'a\n',
      'a\0',
      'system\u200b',
      '\ud800',
      'ａlert',
    ]) {
      await refused(postern.inbox.push({ to: ['quinn'], content: 'hello', type }), 'TYPE_INVALID')
    }
  })

  rule('refuses NUL and lone surrogates in every field', async () => {
    verifies('G14.text')
    const { postern } = await open()
    for (const text of BAD_TEXTS) {
      const fields: Partial<PushMessage>[] = [
        { content: text },
        { subject: text },
        { ref: text },
        { dedupKey: text },
        { payload: text },
        { payload: { deep: [{ [text]: 1 }] } },
        { context: [text] },
        { attachments: [{ name: text, sha256: '0'.repeat(64), bytes: 1 }] },
        { attachments: [{ name: 'a', path: text, sha256: '0'.repeat(64), bytes: 1 }] },
      ]
      for (const field of fields)
        await refused(postern.inbox.push({ to: ['quinn'], content: 'hello', ...field }), 'TEXT_INVALID')
      await refused(postern.agents.add({ id: 'rex', displayName: text }), 'TEXT_INVALID')
      await refused(postern.agents.rename({ id: 'quinn', displayName: text }), 'TEXT_INVALID')
      await refused(postern.sessions.begin({ id: 'ses-1', agent: 'quinn', host: text }), 'VALUE_INVALID')
    }
    expect((await postern.inbox.list({ which: 'all' })).items).toEqual([])
  })

  rule('refuses NUL and lone surrogates in evidence and reasons', async () => {
    verifies('G14.text')
    const { postern } = await open()
    await tell(postern, 'quinn', 'hello')
    for (const text of BAD_TEXTS) await refused(postern.inbox.drain({ agent: 'quinn', via: text }), 'TEXT_INVALID')
    const { offer } = await postern.inbox.drain({ agent: 'quinn', sessionId: 'ses-1' })
    const offerId = offer?.id ?? ''
    for (const text of BAD_TEXTS) {
      await refused(postern.inbox.confirm({ offerId, evidence: text, printed: true }), 'TEXT_INVALID')
      await refused(postern.inbox.release({ offerId, reason: text }), 'TEXT_INVALID')
      await refused(
        postern.inbox.confirmSession({ sessionId: 'ses-1', printedBefore: 1, evidence: text }),
        'TEXT_INVALID',
      )
    }
  })

  rule('refuses names that can be mistaken for one that is taken', async () => {
    verifies('G14.names')
    const { postern } = await open({ agents: [{ id: 'bill', kind: 'human' }] })
    await postern.agents.add({ id: 'amy', displayName: 'Mailroom One' })
    for (const id of ['bi11', 'bil1', 'arny']) {
      if (id === 'arny') await postern.agents.rename({ id: 'amy', displayName: 'Army' })
      await refused(postern.agents.add({ id }), 'AGENT_CONFUSABLE')
    }
    for (const displayName of ['Bill', 'BILL', 'Вill', 'bi|l', 'b\u0131ll', 'ａrmy', 'a r m y'.replaceAll(' ', '')]) {
      await refused(postern.agents.add({ id: 'zed', displayName }), 'AGENT_CONFUSABLE')
    }
    await refused(postern.inbox.push({ to: ['bi11'], content: 'hello', create: true }), 'AGENT_CONFUSABLE')
  })

  rule('gives no agent the name of Postern itself, and lets one go on that has it', async () => {
    verifies('G14.names')
    const { postern, tamper } = await open({ agents: ['olga'] })
    expect(await codeOf(postern.agents.add({ id: 'postern' }))).toBe('AGENT_ID_RESERVED')
    for (const id of ['p0stern', 'postem'])
      expect(await codeOf(postern.agents.add({ id })), id).toBe('AGENT_CONFUSABLE')
    expect(await codeOf(postern.agents.rename({ id: 'olga', displayName: 'Postern' }))).toBe('AGENT_CONFUSABLE')
    await refused(postern.inbox.push({ to: ['postern'], content: 'x' }), 'AGENT_NOT_FOUND')
    // As an older version has stored it.
    await tamper(
      `UPDATE agents SET id = 'postern', display_name = 'postern', id_skeleton = 'postem', name_skeleton = 'postem'`,
    )
    expect(await postern.agents.add({ id: 'postern' })).toMatchObject({ id: 'postern', removedAt: null })
    await postern.inbox.push({ to: ['postern'], content: 'still here' })
    expect(await read(postern, 'postern')).toEqual(['still here'])
  })

  rule('refuses names that pose as everybody, as the system or as a stranger', async () => {
    verifies('G14.names')
    const { postern } = await open()
    for (const id of ['all', 'system', 'local']) {
      await refused(postern.agents.add({ id }), 'AGENT_ID_RESERVED')
      await refused(postern.agents.show({ id }), 'AGENT_ID_RESERVED')
      await refused(postern.inbox.drain({ agent: id }), 'AGENT_ID_RESERVED')
    }
    for (const to of ['system', 'local'])
      await refused(postern.inbox.push({ to: [to], content: 'hello' }), 'AGENT_ID_RESERVED')
    const poses = ['a11', 'loca1', '10cal']
    for (const id of poses) expect(await codeOf(postern.agents.add({ id })), id).toBe('AGENT_CONFUSABLE')
    for (const displayName of ['System', 'SYSTEM', 'ѕystem', 'All', 'Local', 's\u0443stem']) {
      expect(await codeOf(postern.agents.add({ id: 'zed', displayName })), displayName).toMatch(/RESERVED|CONFUSABLE/)
      expect(await codeOf(postern.agents.rename({ id: 'quinn', displayName })), displayName).toMatch(
        /RESERVED|CONFUSABLE/,
      )
    }
  })

  rule('refuses names that hide something', async () => {
    verifies('G14.names')
    const { postern } = await open()
    for (const displayName of ['', '   ', 'x\u200by', 'x\u202ey', 'x\ny', 'x\u001b[1m', 'x\u2028y', 'x'.repeat(201)]) {
      expect(await codeOf(postern.agents.add({ id: 'zed', displayName }))).toMatch(/TEXT_INVALID|CONTENT_TOO_LARGE/)
    }
  })

  rule('refuses addresses of spaces that are not there, or that are one of several', async () => {
    const { postern } = await open()
    const push = (...to: string[]) => postern.inbox.push({ to, content: 'hello' })
    await refused(push('space:alpha'), 'SPACE_NOT_FOUND')
    await refused(push('space:'), 'SPACE_ID_INVALID')
    await refused(push('quinn', 'space:alpha'), 'ADDRESS_UNSUPPORTED')
  })

  rule('refuses what is not text, JSON, a checksum or a size', async () => {
    const { postern } = await open()
    const push = (field: object) => postern.inbox.push({ to: ['quinn'], content: 'hello', ...field })
    const sound = { name: 'a', sha256: '0'.repeat(64), bytes: 1 }
    for (const field of [
      { content: 7 },
      { content: null },
      { subject: 7 },
      { payload: Number.NaN },
      { payload: { f: () => 1 } },
      { payload: 1n },
      { attachments: [{ ...sound, sha256: 'ABC' }] },
      { attachments: [{ ...sound, bytes: 1.5 }] },
      { attachments: [{ ...sound, bytes: -1 }] },
      { attachments: [{ sha256: sound.sha256, bytes: 1 } as typeof sound] },
    ]) {
      await refused(push(field), 'VALUE_INVALID')
    }
    await refused(postern.inbox.list({ after: 'quinn' }), 'VALUE_INVALID')
    await refused(postern.agents.add({ id: 'zed', kind: 'robot' as 'ai' }), 'VALUE_INVALID')
  })

  rule('goes on as if nothing had happened after any refusal', async () => {
    const { postern } = await open()
    await refused(postern.inbox.push({ to: ['quinn', 'nobody'], content: 'hello' }), 'AGENT_NOT_FOUND')
    await refused(postern.inbox.push({ to: ['quinn'], content: '' }), 'CONTENT_EMPTY')
    await tell(postern, 'quinn', 'hello')
    expect(await read(postern, 'quinn')).toEqual(['hello'])
  })
})

async function codeOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'it was taken',
    (error: Partial<PosternError>) => error.code ?? String(error),
  )
}
