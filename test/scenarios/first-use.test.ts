import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { type CommandOptions, type Outcome, postern, posternJson, withoutChance } from '../helpers/command.ts'
import { needsPostgres } from '../helpers/needs.ts'
import { createDatabase } from '../helpers/postgres.ts'
import { fastFolder } from '../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../helpers/warm-command.ts'
import { verifies } from './verifies.ts'

/** What a new user types first, in an empty home; each line's outcome is kept. */
const SCRIPT: readonly (readonly string[])[] = [
  ['agent', 'add', 'quinn'],
  ['agent', 'add', 'justin', '--kind', 'human'],
  ['agent', 'list'],
  ['inbox', 'push', '--to', 'quinn', '--type', 'alert', '--priority', '1', 'CI build failed on main'],
  ['inbox', 'list'],
  ['inbox', 'drain', '--agent', 'quinn'],
  ['inbox', 'drain', '--agent', 'quinn'],
  ['inbox', 'push', '--bead', 'quinn', '--type', 'decision', 'Decision X resolved: option Y'],
  ['inbox', 'push', '--broadcast', '--type', 'system', 'Maintenance in 10 minutes'],
  [
    'inbox',
    'push',
    '--to',
    'quinn',
    '--type',
    'event',
    '--ttl',
    '10m',
    '--dedup-key',
    'ci-run-42',
    'CI run 42 started',
  ],
  [
    'inbox',
    'push',
    '--to',
    'quinn',
    '--type',
    'event',
    '--ttl',
    '10m',
    '--dedup-key',
    'ci-run-42',
    'CI run 42 started',
  ],
  ['inbox', 'push', '--to', 'quinn', '--dedup-key', 'ci-run-42', 'something else'],
  ['inbox', 'push', '--type', 'alert', 'nobody named'],
  ['inbox', 'list', '--all'],
  ['inbox', 'list', '--delivered'],
  ['inbox', 'drain', '--session', 'session-1', '--reconcile', '--agent', 'quinn'],
  ['inbox', 'drain', '--session', 'session-1'],
  ['inbox', 'list', '--agent', 'quinn', '--delivered'],
  ['inbox', 'search', '"build failed"'],
  ['inbox', 'drain', '--agent', 'nobody'],
]

async function play(options: CommandOptions, run = postern): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const line of SCRIPT) outcomes.push(await run(options, ...line))
  return outcomes.map(({ exit, stdout, stderr }) => ({
    exit,
    stdout: withoutChance(stdout),
    stderr: withoutChance(stderr),
  }))
}

describe('the first minutes with Postern', () => {
  it('shows a pushed message fenced, once, and accepts every form of the seed', async () => {
    verifies('S000.push.forms', 'S000.list.forms', 'S000.drain.forms')
    const outcomes = await play({ home: fastFolder() })
    const exits = outcomes.map(({ exit }) => exit)
    expect(exits).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 64, 0, 0, 0, 0, 0, 0, 5])

    const [, , , push, pending, first, second] = outcomes
    expect(push?.stdout).toBe('Stored: msg_ID for quinn\n')
    expect(pending?.stdout).toContain('CI build failed on main')
    expect(first?.stdout).toMatch(/^┌── postern inbox · quinn · 1 message · fence NONCE\n/)
    expect(first?.stdout).toContain('│ CI build failed on main\n')
    expect(first?.stdout).toMatch(/└── end of postern inbox · fence NONCE\n$/)
    expect(second?.stdout).toBe('No messages.\n')
    expect(outcomes[10]?.stdout).toBe('Already stored: msg_ID for quinn\n')
    expect(outcomes[15]?.stdout).toContain('3 messages')
    expect(outcomes[16]?.stdout).toBe('No messages.\n')
  })

  it('prints the same whichever store it runs on', needsPostgres(inject('postgresUrl')), async () => {
    const database = await createDatabase(inject('postgresUrl'))
    onTestFinished(() => database.drop())
    const [embedded, remote] = [
      await play({ home: fastFolder() }, warmPostern),
      await play({ home: fastFolder(), store: database.url }, warmPostern),
    ]
    expect(remote).toEqual(embedded)
  })

  it('traces every step of a message, as text and as JSON', async () => {
    const options = { home: fastFolder() }
    await warmPostern(options, 'agent', 'add', 'quinn')
    const { id } = await warmPosternJson<{ id: string }>(options, 'inbox', 'push', '--to', 'quinn', 'hello')
    const before = await warmPosternJson<{ why: string }>(options, 'trace', id)
    expect(before.why).toContain('quinn has not drained its inbox')

    await warmPostern(options, 'inbox', 'drain', '--agent', 'quinn')
    await warmPostern(options, 'inbox', 'ack', '--agent', 'quinn', id)
    const trace = await warmPosternJson<{
      message: { id: string }
      deliveries: { agent: string; state: string; steps: { step: string }[] }[]
    }>(options, 'trace', id)
    expect(trace.message.id).toBe(id)
    expect(trace.deliveries).toMatchObject([{ agent: 'quinn', state: 'acted' }])
    expect(trace.deliveries[0]?.steps.map(({ step }) => step)).toEqual([
      'stored',
      'offered',
      'printed',
      'seen',
      'acted',
    ])
    const text = await warmPostern(options, 'trace', id)
    expect(text.stdout).toMatch(/stored[\s\S]*offered[\s\S]*printed[\s\S]*seen[\s\S]*acted/)
  })

  it('answers scripts in the documented shapes', async () => {
    const options = { home: fastFolder() }
    await postern(options, 'agent', 'add', 'quinn')
    const pushed = await posternJson(options, 'inbox', 'push', '--to', 'quinn', '--subject', 'S', 'hello')
    expect(pushed).toEqual({
      id: expect.stringMatching(/^msg_/),
      duplicate: false,
      recipients: [{ agent: 'quinn', state: 'pending', duplicate: false }],
    })
    expect(await posternJson(options, 'inbox', 'list')).toMatchObject({ items: [{ state: 'pending' }], next: null })
    expect(await posternJson(options, 'inbox', 'drain', '--agent', 'quinn')).toMatchObject({
      messages: [
        {
          id: expect.any(String),
          type: 'agent',
          from: { id: 'local', kind: 'local', verified: false, via: 'cli' },
          subject: 'S',
          content: 'hello',
          priority: 2,
          attempt: 1,
          createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        },
      ],
      remaining: 0,
    })
    expect(await posternJson(options, 'doctor')).toMatchObject({ ok: true, checks: expect.any(Array) })
  })

  it('waits for a receipt and times out with its own exit code', async () => {
    const options = { home: fastFolder() }
    await postern(options, 'agent', 'add', 'quinn')
    const waiting = postern(
      options,
      'inbox',
      'push',
      '--to',
      'quinn',
      '--wait-for',
      'seen',
      '--timeout',
      '20s',
      'hello',
    )
    for (;;) {
      const { messages } = await posternJson<{ messages: unknown[] }>(options, 'inbox', 'drain', '--agent', 'quinn')
      if (messages.length > 0) break
    }
    expect(await waiting).toMatchObject({ exit: 0, stdout: expect.stringContaining('and seen') })
    const late = await postern(
      options,
      'inbox',
      'push',
      '--to',
      'quinn',
      '--wait-for',
      'seen',
      '--timeout',
      '50ms',
      'again',
    )
    expect(late).toMatchObject({ exit: 8, stderr: expect.stringContaining('[TIMED_OUT]') })
    expect(await postern(options, 'inbox', 'wait', '--agent', 'quinn', '--timeout', '5s')).toMatchObject({ exit: 0 })
  })
})
