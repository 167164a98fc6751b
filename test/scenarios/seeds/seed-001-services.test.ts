import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Postern } from '../../../src/model/postern.ts'
import type { TriggerAgent } from '../../../src/model/sources/services.ts'
import { type CommandOptions, postern, posternJson } from '../../helpers/command.ts'
import { codeBlocks } from '../../helpers/documents.ts'
import { openLocal } from '../../helpers/open-local.ts'
import { runInShell } from '../../helpers/shell.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { warmPostern, warmPosternJson } from '../../helpers/warm-command.ts'
import { signAs } from '../../helpers/webhook.ts'
import { verifies } from '../verifies.ts'

interface ServiceJson {
  readonly id: string
  readonly key: string
  readonly signingSecret: string
}

async function prepare(): Promise<CommandOptions> {
  const options = { home: fastFolder() }
  await warmPostern(options, 'agent', 'add', 'developer')
  await warmPostern(options, 'agent', 'add', 'justin', '--kind', 'human')
  return options
}

const CREATE = ['service', 'create', 'jira-webhook', '--agent', 'developer'] as const

async function trigger({ home }: CommandOptions, input: Omit<TriggerAgent, 'agent'>) {
  const store: Postern = await openLocal(join(home, 'postern.db'), { upkeep: false })
  try {
    return await store.services.trigger({ agent: 'developer', ...input })
  } finally {
    await store.close()
  }
}

const PAYLOAD = { issue: 'PROJ-123', action: 'created' }

describe('a service on the command line', () => {
  it('is registered with a key that works, and its events are in the inbox', async () => {
    verifies('S001.service.forms')
    const options = await prepare()
    const created = await posternJson<ServiceJson>(options, ...CREATE)
    expect(created).toMatchObject({
      id: expect.stringMatching(/^svc_/),
      key: expect.stringMatching(/^sk_/),
      signingSecret: expect.stringMatching(/^whsec_/),
      name: 'jira-webhook',
      agent: 'developer',
      createdBy: 'local',
      createdAt: expect.stringMatching(/Z$/),
    })
    const { eventId } = await trigger(options, {
      proof: { key: created.key },
      payload: PAYLOAD,
      serviceName: 'jira-webhook',
    })
    const { stdout } = await postern(options, 'inbox', 'drain', '--agent', 'developer')
    expect(stdout).toContain(eventId)
    expect(stdout).toContain('│ {"issue":"PROJ-123","action":"created"}')
    const { key: _, signingSecret: __, ...listed } = created
    expect(await posternJson(options, 'service', 'list')).toMatchObject({
      items: [{ ...listed, events: 1, lastEventAt: expect.stringMatching(/Z$/) }],
    })
    const again = await postern(options, ...CREATE)
    expect(again).toMatchObject({ exit: 6, stderr: expect.stringContaining('[SERVICE_EXISTS]') })
  })

  it('says in words what to do with what it shows', async () => {
    verifies('S001.service.forms')
    const options = await prepare()
    const { stdout } = await warmPostern(options, ...CREATE)
    expect(stdout).toMatch(
      /^Registered: jira-webhook may wake developer\.\n {2}key +sk_\S+\n {2}signing secret +whsec_\S+\n/,
    )
    expect(stdout).toContain('shown this once')
    expect(stdout).toContain('POST /api/agents/developer/trigger')
    expect((await warmPostern(options, 'service', 'list')).stdout).toMatch(
      /jira-webhook +developer +good +0 events, last never/,
    )
    expect(await warmPostern(options, 'service', 'create')).toMatchObject({ exit: 64 })
    expect(await warmPostern(options, 'service', 'create', 'ci', '--agent', 'nobody')).toMatchObject({ exit: 5 })
    expect(await warmPostern(options, 'service', 'create', 'CI', '--agent', 'developer')).toMatchObject({ exit: 64 })
  })

  it('gets a new key and is revoked', async () => {
    verifies('S001.service.forms')
    const options = await prepare()
    const first = await warmPosternJson<ServiceJson>(options, ...CREATE)
    const second = await warmPosternJson<ServiceJson>(options, 'service', 'rotate', 'jira-webhook', '--overlap', '1h')
    for (const { key } of [first, second]) await trigger(options, { proof: { key }, payload: PAYLOAD })
    expect((await warmPostern(options, 'service', 'list')).stdout).toContain('two are good')
    const third = await warmPosternJson<ServiceJson>(options, 'service', 'rotate', first.id, '--overlap', '0s')
    await expect(trigger(options, { proof: { key: second.key }, payload: 1 })).rejects.toMatchObject({
      code: 'TRIGGER_REFUSED',
    })
    const revoked = await warmPostern(options, 'service', 'revoke', 'jira-webhook', '--agent', 'developer')
    expect(revoked.stdout).toBe('Revoked: jira-webhook cannot wake developer any more.\n')
    await expect(trigger(options, { proof: { key: third.key }, payload: 1 })).rejects.toMatchObject({
      code: 'TRIGGER_REFUSED',
    })
    expect((await warmPostern(options, 'service', 'list')).stdout).toBe('No service is registered.\n')
    expect((await warmPostern(options, 'service', 'list', '--all')).stdout).toContain('revoked')
    expect(await warmPostern(options, 'service', 'rotate', 'jira-webhook')).toMatchObject({ exit: 5 })
    expect(await warmPostern(options, 'service', 'rotate', 'x', '--overlap', 'long')).toMatchObject({ exit: 64 })
  })

  it('opens a gate that waits for it', async () => {
    verifies('S001.service.forms')
    const options = await prepare()
    const create = ['gate', 'create', '--agent', 'developer', '--kind', 'service', '--service', 'ci'] as const
    expect(await warmPostern(options, ...create, 'CI first')).toMatchObject({ exit: 5 })
    const { key } = await warmPosternJson<ServiceJson>(options, 'service', 'create', 'ci', '--agent', 'developer')
    const where = ['--where', 'status=success', '--where', 'build.branch=feature/x'] as const
    const gate = await warmPosternJson<{ id: string }>(options, ...create, ...where, 'CI first')
    expect(gate).toMatchObject({ kind: 'service', awaits: 'ci?status=success&build.branch=feature%2Fx', state: 'open' })
    await trigger(options, { proof: { key }, payload: { status: 'success' } })
    expect(await warmPostern(options, 'gate', 'check', gate.id)).toMatchObject({ exit: 7 })
    await trigger(options, { proof: { key }, payload: { status: 'success', build: { branch: 'feature/x' } } })
    expect(await warmPostern(options, 'gate', 'check', gate.id)).toMatchObject({ exit: 0 })
    for (const wrong of [
      ['--where', 'status'],
      ['--where', '=x'],
      ['--message', 'msg_1'],
    ]) {
      expect(await warmPostern(options, ...create, ...wrong, 'CI first')).toMatchObject({ exit: 64 })
    }
    const stray = ['gate', 'create', '--agent', 'developer', '--where', 'a=b', 'x'] as const
    expect(await warmPostern(options, ...stray)).toMatchObject({ exit: 64, stderr: expect.stringContaining('--where') })
  })

  it('signs as the guide shows it, in a shell and in Node', async () => {
    verifies('S001.service.signed')
    const options = await prepare()
    const { signingSecret } = await warmPosternJson<ServiceJson>(options, ...CREATE)
    const guide = readFileSync(fileURLToPath(new URL('../../../docs/guides/services.md', import.meta.url)), 'utf8')
    const snippet = (part: string) =>
      codeBlocks(guide).find(({ text }) => text.includes(part))?.text ?? expect.fail(part)
    const files = `printf %s '${signingSecret}' >signing-secret; printf %s '{"type":"build.finished"}' >event.json\n`
    const sending = /^printf '%s\\n' "webhook-id[\s\S]*/m
    const ending = 'printf "%s\\n" "$id" "$now" "v1,$signature" "$(cat event.json)"'
    const shell = files + snippet('python3').replace(sending, ending)
    const node = snippet('createHmac').replace(
      /await fetch[\s\S]*/,
      'console.log([id, timestamp, `v1,${signature}`, body].join("\\n"))',
    )
    for (const script of [shell, `node --input-type=module -e '${node.replaceAll("'", `'"'"'`)}'`]) {
      const { exit, stdout, stderr } = await runInShell(options, `export SIGNING_SECRET='${signingSecret}'\n${script}`)
      expect(exit, stderr).toBe(0)
      const [webhookId = '', timestamp = '', signature = '', body = ''] = stdout.trimEnd().split('\n')
      expect({ webhookId, timestamp, signature, body }).toEqual(
        signAs(signingSecret, { webhookId, body, at: Number(timestamp) * 1_000 }),
      )
      const proof = { webhookId, timestamp, signature, body }
      expect(await trigger(options, { proof, payload: JSON.parse(body) })).toMatchObject({ duplicate: false })
    }
  })
})

describe('a token on the command line', () => {
  it('is made, listed and revoked', async () => {
    verifies('S001.token.forms')
    const options = await prepare()
    const form = ['token', 'create', '--scope', 'agent:developer', '--label', 'the build', '--expires', '30d'] as const
    const { token, ...kept } = await posternJson<{ id: string; token: string }>(options, ...form)
    expect(token).toMatch(/^pst_[A-Za-z0-9_-]{43}$/)
    expect(kept).toMatchObject({ scope: 'agent:developer', label: 'the build', expiresAt: expect.stringMatching(/Z$/) })
    expect(await posternJson(options, 'token', 'list')).toEqual({ items: [kept], next: null })
    expect((await postern(options, 'token', 'list')).stdout).toContain('the build')
    expect(await postern(options, 'token', 'revoke', kept.id)).toMatchObject({
      exit: 0,
      stdout: `Revoked: ${kept.id}, which spoke for agent:developer.\n`,
    })
    expect((await postern(options, 'token', 'list')).stdout).toBe('There are no tokens.\n')
    expect((await postern(options, 'token', 'list', '--all')).stdout).toContain('revoked')
    const { stdout } = await postern(options, 'token', 'create', '--scope', 'admin')
    expect(stdout).toMatch(/^Created: tok_\S+, for admin\.\n {2}pst_\S+\nKeep it safe: it is shown this once\.\n$/)
  })

  it('is refused with a code where it could speak for nobody', async () => {
    verifies('S001.token.forms')
    const options = await prepare()
    const exits: Readonly<Record<string, number>> = {
      root: 64,
      'agent:nobody': 5,
      'agent:justin': 64,
      'human:developer': 64,
    }
    for (const [scope, exit] of Object.entries(exits)) {
      expect(await warmPostern(options, 'token', 'create', '--scope', scope)).toMatchObject({ exit })
    }
    expect(await warmPostern(options, 'token', 'create')).toMatchObject({ exit: 64 })
    expect(await warmPostern(options, 'token', 'revoke', 'tok_none')).toMatchObject({ exit: 5 })
    const asAgent = await warmPostern(options, 'token', 'create', '--scope', 'admin', '--as', 'developer')
    expect(asAgent).toMatchObject({ exit: 4, stderr: expect.stringContaining('[NOT_ALLOWED]') })
  })
})

describe('what the home keeps', () => {
  it('holds no key, no signing secret and no token', async () => {
    verifies('G16.hashed')
    const options = await prepare()
    const { key, signingSecret } = await warmPosternJson<ServiceJson>(options, ...CREATE)
    const { token } = await warmPosternJson<{ token: string }>(options, 'token', 'create', '--scope', 'admin')
    const files = readdirSync(options.home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    expect(files.map(({ name }) => name)).toContain('secret.key')
    for (const { parentPath, name } of files) {
      const bytes = readFileSync(join(parentPath, name), 'latin1')
      for (const secret of [key, signingSecret, token]) expect(bytes.includes(secret.slice(6)), name).toBe(false)
    }
  })
})
