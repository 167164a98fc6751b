import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { postern } from '../../helpers/command.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { verifies } from '../verifies.ts'
import { withPeople } from './people.ts'

const SEND = ['message', 'send', 'justin', '--subject', 'x', '--agent', 'quinn']
const EMIT = ['ledger', 'emit', 'task:A', 'task.blocked', '--agent', 'quinn']

const CASES: readonly [rule: string, args: readonly string[], exit: number, code: string][] = [
  ['an unknown recipient', ['message', 'send', 'nobody', '--subject', 'x', '--agent', 'quinn'], 5, 'AGENT_NOT_FOUND'],
  ['a recipient that climbs', ['message', 'send', '../x', '--subject', 'x'], 64, 'AGENT_ID_INVALID'],
  ['a message without a subject', ['message', 'send', 'justin', 'x'], 64, 'USAGE'],
  ['a priority of 0', [...SEND, '--priority', '0'], 64, 'SEED_PRIORITY_INVALID'],
  ['a priority of 6', [...SEND, '--priority', '6'], 64, 'SEED_PRIORITY_INVALID'],
  ['a priority that is a word', [...SEND, '--priority', 'high'], 64, 'SEED_PRIORITY_INVALID'],
  ['a payload that is not JSON', [...SEND, '--payload', '{'], 64, 'USAGE'],
  ['text and payload at once', [...SEND, '--payload', '{}', 'text'], 64, 'USAGE'],
  ['a type that is none', [...SEND, '--type', 'No Type'], 64, 'TYPE_INVALID'],
  ['a ref of an unknown type', [...SEND, '--ref-type', 'epic'], 64, 'USAGE'],
  ['a note on an unknown kind of work', ['note', 'post', 'epic:A', 'x'], 64, 'USAGE'],
  ['a note on a name with a slash', ['note', 'post', 'task:../A', '--agent', 'quinn', 'x'], 64, 'ENTITY_INVALID'],
  ['a note that says nothing', ['note', 'post', 'task:A', '--agent', 'quinn', ' '], 64, 'CONTENT_EMPTY'],
  ['a note without text', ['note', 'post', 'task:A', '--agent', 'quinn'], 64, 'USAGE'],
  [
    'a note on a topic that is not there',
    ['note', 'post', '0.0.9', '--type', 'task', 'x'],
    5,
    'LEDGER_TOPIC_NOT_FOUND',
  ],
  ['an event of no type', [...EMIT.slice(0, 3), 'Blocked!', '--agent', 'quinn'], 64, 'TYPE_INVALID'],
  ['a topic that is not there', ['ledger', 'read', '0.0.999'], 5, 'LEDGER_TOPIC_NOT_FOUND'],
  ['a topic of a wrong form', ['ledger', 'read', '0.0'], 64, 'LEDGER_ID_INVALID'],
  ['an item of a wrong form', ['ledger', 'topic', 'create', '--entity', 'task'], 64, 'ENTITY_INVALID'],
  ['nothing to verify', ['ledger', 'verify'], 64, 'USAGE'],
  [
    'a capability that HCS-11 does not know',
    ['ledger', 'profile', 'quinn', '--set-capabilities', '19'],
    64,
    'PROFILE_INVALID',
  ],
  ['no capability', ['ledger', 'profile', 'quinn', '--set-capabilities', ''], 64, 'PROFILE_INVALID'],
  ['a profile of nobody', ['ledger', 'profile', 'nobody'], 5, 'AGENT_NOT_FOUND'],
  ['a profile of whom nobody says', ['ledger', 'profile'], 64, 'USAGE'],
  ['an inbox of which nothing is to be shown', ['inbox', 'mine', '--agent', 'justin', '--limit', '0'], 64, 'USAGE'],
  ['a connection that is not there', ['ledger', 'accept', 'con_x'], 5, 'CONNECTION_NOT_FOUND'],
  ['an outsider of a wrong form', ['ledger', 'connect', 'x', '--agent', 'quinn'], 64, 'LEDGER_ID_INVALID'],
  ['a parcel that is not there', ['ledger', 'retry', 'par_x'], 5, 'PARCEL_NOT_FOUND'],
  ['a role that is none', ['ledger', 'topics', '--role', 'secret'], 64, 'VALUE_INVALID'],
]

describe('bad input', () => {
  it('is refused with its code and exit code, and publishes and stores nothing', async () => {
    verifies('S003.bad-input')
    const options = await withPeople()
    const seen = async () => [
      await warmPosternJson(options, 'ledger', 'topics'),
      await warmPosternJson(options, 'inbox', 'list', '--all'),
    ]
    const before = await seen()
    for (const [rule, args, exit, code] of CASES) {
      const outcome = await warmPostern(options, ...args)
      expect({ rule, exit: outcome.exit, stderr: outcome.stderr }).toEqual({
        rule,
        exit,
        stderr: expect.stringMatching(new RegExp(`^postern: .+ \\[${code}\\]\\n$`)),
      })
    }
    expect(await seen()).toEqual(before)
  })

  it('content that is too large is refused', async () => {
    const options = await withPeople()
    const { exit, stderr } = await postern({ ...options, stdin: 'x'.repeat(70_000) }, ...SEND, '-')
    expect({ exit, stderr }).toMatchObject({ exit: 64, stderr: expect.stringContaining('[CONTENT_TOO_LARGE]') })
  })
})

describe('a ledger that cannot be used', () => {
  const CONFIGS: readonly [rule: string, ledger: object][] = [
    ['a setting that is none', { netwrok: 'testnet' }],
    ['an unknown network without nodes', { network: 'ournet', operator: '0.0.2', keyFile: 'a.key' }],
    ['no operator', { network: 'testnet', keyFile: 'a.key' }],
    ['an operator that is none', { network: 'testnet', operator: 'me', keyFile: 'a.key' }],
    ['no key file', { network: 'testnet', operator: '0.0.4515' }],
    ['a key file that is not there', { network: 'testnet', operator: '0.0.4515', keyFile: 'none.key' }],
    ['a key that others can read', { network: 'testnet', operator: '0.0.4515', keyFile: 'open.key' }],
    ['a key that is none', { network: 'testnet', operator: '0.0.4515', keyFile: 'bad.key' }],
    ['a routing that is none', { routing: { 'task.blocked': 'justin' } }],
    ['a publish mode that is none', { publish: { default: 'loud' } }],
  ]

  it('says what is wrong with its configuration, and leaves the inbox alone', async () => {
    const options = await withPeople()
    writeFileSync(join(options.home, 'open.key'), 'a'.repeat(64))
    chmodSync(join(options.home, 'open.key'), 0o644)
    writeFileSync(join(options.home, 'bad.key'), 'no key at all', { mode: 0o600 })
    for (const [rule, ledger] of CONFIGS) {
      writeFileSync(join(options.home, 'config.json'), JSON.stringify({ ledger }))
      const { exit, stderr } = await warmPostern(options, 'ledger', 'setup')
      expect({ rule, exit: exit !== 0, stderr }).toEqual({
        rule,
        exit: true,
        stderr: expect.stringMatching(
          /^postern: .+ \[(?:CONFIG_INVALID|LEDGER_CONFIG_INVALID|LEDGER_KEY_INVALID)\]\n$/,
        ),
      })
      expect(stderr, rule).not.toContain('no key at all')
      expect((await warmPostern(options, 'doctor')).stdout, rule).toMatch(/^(?:warn|FAIL) (?:ledger|store\.open) /m)
    }
    expect((await warmPostern(options, 'inbox', 'push', '--to', 'justin', 'Still works.')).exit).toBe(0)
  })

  it('a project that is not trusted names none', async () => {
    const options = await withPeople()
    const cwd = join(options.home, 'project')
    mkdirSync(cwd)
    writeFileSync(join(cwd, 'postern.config.json'), JSON.stringify({ ledger: { network: 'testnet' } }))
    const status = await warmPosternJson({ ...options, cwd }, 'ledger', 'status')
    expect(status).toMatchObject({ ledger: { kind: 'local' } })
  })
})
