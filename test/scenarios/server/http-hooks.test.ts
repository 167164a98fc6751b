import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readFaults } from '../../../src/host/hook-log.ts'
import { processStart } from '../../../src/kit/node/processes.ts'
import type { Token } from '../../../src/model/network/token.ts'
import type { HealthReport } from '../../../src/model/postern.ts'
import { withStore } from '../../faults/harness/home.ts'
import { deliveryOf, fire, type Place, push, readAnswer } from '../../faults/harness/hook.ts'
import { type Outcome, postern } from '../../helpers/command.ts'
import { startHostProcess } from '../../helpers/hosts/host-process.ts'
import { ask, type ServeProcess, startServe } from '../../helpers/http-server.ts'
import { openLocal } from '../../helpers/open-local.ts'
import { DEAD_MACHINE_MS, PATIENT_NODE, PATIENTLY } from '../../helpers/patience.ts'
import { FULL } from '../../helpers/tier.ts'
import { warmPosternJson } from '../../helpers/warm-command.ts'
import { makeFastPlace } from '../place.ts'
import { verifies } from '../verifies.ts'

const PATH = '/api/v1/hooks/claude-code'

interface Served extends Place {
  readonly server: ServeProcess
  readonly settings: string
  /** Runs a command as the user of the home. */
  run(...words: readonly string[]): Promise<Outcome>
  answerOf<T>(...words: readonly string[]): Promise<T>
}

/** A place with a server that answers events, however long a busy machine takes, and a user whose home it is. */
async function makePlace(config: Parameters<typeof makeFastPlace>[0] = {}, node = PATIENT_NODE): Promise<Served> {
  const place = await makeFastPlace(config)
  const server = await startServe({ home: place.home, node })
  const options = { home: place.home, cwd: place.project }
  return {
    ...place,
    server,
    settings: join(place.home, '.claude', 'settings.json'),
    run: (...words) => postern(options, ...words),
    async answerOf(...words) {
      return warmPosternJson(options, ...words)
    },
  }
}

function eventOf({ project }: Place, name: string) {
  return { hook_event_name: name, session_id: 'ses-1', cwd: project, tool_calls: [] }
}

interface HttpEntry {
  readonly url: string
  readonly headers: { readonly Authorization: string }
}

/** The entries of a file that post, by their events. */
function postingIn(path: string): Readonly<Record<string, HttpEntry>> {
  const { hooks } = JSON.parse(readFileSync(path, 'utf8')) as {
    hooks: Record<string, { hooks: (HttpEntry & { type: string })[] }[]>
  }
  const entries = Object.entries(hooks).flatMap(([event, groups]) =>
    groups.flatMap((group) =>
      group.hooks.filter(({ type }) => type === 'http').map((entry) => [event, entry] as const),
    ),
  )
  return Object.fromEntries(entries)
}

/** Posts an event exactly as the entry in the settings says. */
async function post(place: Served, name: string): Promise<ReturnType<typeof readAnswer>> {
  const { url, headers } = postingIn(place.settings)[name]!
  const { origin, pathname, search } = new URL(url)
  const answer = await ask(origin, `POST ${pathname}${search}`, {
    headers: { authorization: headers.Authorization },
    body: eventOf(place, name),
  })
  expect(answer.status).toBe(200)
  return readAnswer(answer.text)
}

const install = (place: Served, ...words: readonly string[]) =>
  place.answerOf<{ changed: boolean; server: string | null; warnings: string[] }>(
    ...['init', '--host', 'claude-code', '--agent', 'quinn', ...words],
  )

const tokensOf = async (place: Served) =>
  (await place.answerOf<{ items: Token[] }>('token', 'list')).items.filter(({ scope }) => scope !== 'admin')

const stepsOf = (place: Served, id: string) =>
  withStore(place.home, async ({ inbox }) => (await inbox.trace({ id })).deliveries[0]?.steps.map(({ step }) => step))

describe('a hook over HTTP', () => {
  it('shows a message once, and the next event confirms it', async () => {
    verifies('H4.once')
    const place = await makePlace()
    await install(place, '--http')
    await fire(place, 'SessionStart', { fields: { source: 'startup' } })
    expect((await post(place, 'UserPromptSubmit')).context).toBe('')
    const id = await push(place, 'the build is red', { priority: 1 })
    expect((await post(place, 'PostToolBatch')).context).toContain('the build is red')
    await expect.poll(() => stepsOf(place, id), PATIENTLY).toEqual(['stored', 'offered', 'printed'])
    expect((await post(place, 'PostToolBatch')).context).toBe('')
    await expect.poll(() => deliveryOf(place, id)).toMatchObject({ state: 'seen', attempt: 1 })
    expect(readFaults(place.home, 10)).toEqual([])
  })

  it('shows again what a host that went away did not take', async () => {
    verifies('H4.gone')
    const flag = 'the-host-has-gone'
    const command = `touch asked; until [ -e ${flag} ]; do sleep 0.01; done`
    const place = await makePlace({
      hooks: [{ event: 'tool.after', priority: 40, command, timeoutMs: DEAD_MACHINE_MS }],
    })
    await install(place, '--http')
    const store = await openLocal(join(place.home, 'postern.db'), { upkeep: false })
    // The hook of a session names the process of its host.
    const host = startHostProcess({ home: place.home })
    onTestFinished(() => host.stop())
    const found = { pid: host.pid, pidStartedAt: processStart(host.pid) ?? 0 }
    await store.sessions.begin({ id: 'ses-1', agent: 'quinn', host: 'claude-code', project: place.project, ...found })
    await store.close()
    const id = await push(place, 'do not lose me', { priority: 1 })
    const { url, headers } = postingIn(place.settings)['PostToolBatch']!
    const sent = request(url, { method: 'POST', agent: false, headers: { authorization: headers.Authorization } })
    sent.on('error', () => {})
    sent.end(JSON.stringify(eventOf(place, 'PostToolBatch')))
    await expect.poll(() => existsSync(join(place.project, 'asked')), PATIENTLY).toBe(true)
    const closed = new Promise((resolve) => sent.once('close', resolve))
    sent.destroy()
    await closed
    writeFileSync(join(place.project, flag), '')
    // It was offered before the command ran. An attempt of which nothing was sent does not count.
    await expect.poll(() => deliveryOf(place, id), PATIENTLY).toMatchObject({ state: 'pending', attempt: 0 })
    expect((await post(place, 'PostToolBatch')).context).toContain('do not lose me')
  })

  it('loses nothing while the server is down: the next command shows it', async () => {
    verifies('H4.down')
    const place = await makePlace()
    await install(place, '--http')
    await fire(place, 'SessionStart', { fields: { source: 'startup' } })
    await post(place, 'UserPromptSubmit')
    await place.server.stop()
    const id = await push(place, 'nobody listens', { priority: 1 })
    await expect(post(place, 'PostToolBatch')).rejects.toThrow('ECONNREFUSED')
    expect((await fire(place, 'Stop')).stdout).toContain('nobody listens')
    expect(await deliveryOf(place, id)).toMatchObject({ state: 'offered', attempt: 1 })
  })
})

/** Says how much it will send, and sends nothing of it. */
async function announce({ url, token }: ServeProcess, path: string, bytes: number): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-length': bytes }
  const sent = request(new URL(path, url), { method: 'POST', agent: false, headers })
  sent.flushHeaders()
  const [response] = await once(sent, 'response')
  sent.on('error', () => {}).destroy()
  return response.statusCode
}

describe('who posts', () => {
  it('is the agent itself, or an administrator who names it', async () => {
    verifies('H4.own')
    const place = await makePlace()
    const { server } = place
    const tokenFor = async (scope: string) =>
      (await place.answerOf<{ token: string }>('token', 'create', '--scope', scope)).token
    const postAs = (token: string | null, query: string) =>
      server.ask(`POST ${PATH}${query}`, { token, body: eventOf(place, 'PostToolBatch') })
    await place.answerOf('agent', 'add', 'ci', '--kind', 'service')

    expect(await postAs(await tokenFor('agent:quinn'), '')).toMatchObject({ status: 200, body: {} })
    expect(await postAs(await tokenFor('agent:quinn'), '?agent=quinn')).toMatchObject({ status: 200, body: {} })
    expect(await postAs(server.token, '?agent=quinn')).toMatchObject({ status: 200, body: {} })
    const refused = { status: 403, body: { code: 'NOT_ALLOWED' } }
    expect(await postAs(await tokenFor('agent:robin'), '?agent=quinn')).toMatchObject(refused)
    expect(await postAs(await tokenFor('human:justin'), '?agent=quinn')).toMatchObject(refused)
    expect(await postAs(await tokenFor('service:ci'), '?agent=ci')).toMatchObject(refused)
    expect(await postAs(null, '?agent=quinn')).toMatchObject({ status: 401 })
    expect(readFaults(place.home, 10)).toEqual([])
  })

  it('gets a harmless answer whatever was sent, and the doctor the reason', async () => {
    const place = await makePlace()
    const { server } = place
    const harmless = { status: 200, text: '{}' }
    expect(await server.ask(`POST ${PATH}?agent=quinn`, { text: '{' })).toMatchObject(harmless)
    expect(await server.ask(`POST ${PATH}?agent=quinn`, { text: '' })).toMatchObject(harmless)
    expect(await server.ask(`POST ${PATH}?agent=nobody`, { body: eventOf(place, 'PostToolBatch') })).toMatchObject(
      harmless,
    )
    expect(await server.ask(`POST ${PATH}?agent=quinn`, { body: eventOf(place, 'Stop') })).toMatchObject(harmless)
    expect(await announce(server, `${PATH}?agent=quinn`, 9 * 1024 * 1024)).toBe(200)
    expect(readFaults(place.home, 10)).toHaveLength(5)
    const { checks } = JSON.parse((await place.run('doctor', '--json')).stdout) as HealthReport
    expect(checks.find(({ name }) => name === 'hooks.faults')).toMatchObject({ ok: false })
  })

  it('may send what tools have answered, however much that is', async () => {
    const place = await makePlace()
    const id = await push(place, 'beside much', { priority: 1 })
    const body = { ...eventOf(place, 'PostToolBatch'), tool_calls: [{ tool_response: 'x'.repeat(4 * 1024 * 1024) }] }
    const { text } = await place.server.ask(`POST ${PATH}?agent=quinn`, { body })
    expect(readAnswer(text).context).toContain('beside much')
    await expect.poll(() => deliveryOf(place, id)).toMatchObject({ state: 'offered' })
  })
})

describe('postern init --http', () => {
  const THEIRS = '{\r\n\t"model" : "x",\r\n\t"hooks": { "PostToolBatch": [{ "hooks": [] } ], "Stop": [ ] }\r\n}'

  /** Nothing is posted here, and a slow server is slow to see a token revoked. */
  async function makeUser(mode = 0o600): Promise<Served> {
    const place = await makePlace({}, [])
    mkdirSync(join(place.home, '.claude'))
    writeFileSync(place.settings, THEIRS)
    chmodSync(place.settings, mode)
    return place
  }

  const read = (place: Served) => readFileSync(place.settings, 'utf8')
  const uninstall = (place: Served) => place.answerOf('init', '--host', 'claude-code', '--uninstall')

  it('writes hooks with a token of their own, and takes both back byte for byte', async () => {
    verifies('H4.init')
    const place = await makeUser()
    expect(await install(place, '--http')).toMatchObject({ changed: true, server: place.server.url })
    const url = `${place.server.url}${PATH}?agent=quinn`
    const entry = { type: 'http', url, headers: { Authorization: expect.stringMatching(/^Bearer pst_/) }, timeout: 10 }
    expect(postingIn(place.settings)).toEqual({ UserPromptSubmit: entry, PostToolBatch: entry })
    expect(await tokensOf(place)).toMatchObject([{ scope: 'agent:quinn', label: 'claude-code hooks' }])
    expect(read(place)).toContain('/bin/hook claude-code quinn full')

    const before = read(place)
    expect(await install(place, '--http')).toMatchObject({ changed: false, server: place.server.url })
    expect(read(place)).toBe(before)
    expect(await tokensOf(place)).toHaveLength(1)

    await uninstall(place)
    expect(read(place)).toBe(THEIRS)
    expect(existsSync(`${place.settings}.postern-backup`)).toBe(false)
    expect(await tokensOf(place)).toEqual([])
  })

  it('gives way to commands, which make its token worthless', FULL, async () => {
    verifies('H4.init')
    const place = await makeUser()
    await install(place, '--http')
    const { headers } = postingIn(place.settings)['PostToolBatch']!
    expect(await install(place)).toMatchObject({ changed: true, server: null })
    expect(postingIn(place.settings)).toEqual({})
    expect(await tokensOf(place)).toEqual([])
    // Another process than the server has revoked it, which the server learns within a moment.
    const posted = () =>
      ask(place.server.url, `POST ${PATH}`, {
        headers: { authorization: headers.Authorization },
        body: eventOf(place, 'PostToolBatch'),
      })
    await expect.poll(async () => (await posted()).status, PATIENTLY).toBe(401)
    await uninstall(place)
    expect(read(place)).toBe(THEIRS)
  })

  it('makes another token for another agent, and where the old one is not good any more', async () => {
    verifies('H4.init')
    const place = await makeUser()
    await install(place, '--http')
    const [first] = await tokensOf(place)
    await place.answerOf('init', '--host', 'claude-code', '--agent', 'robin', '--http')
    expect(await tokensOf(place)).toMatchObject([{ scope: 'agent:robin' }])
    const [second] = await tokensOf(place)
    expect(second?.id).not.toBe(first?.id)
    await place.server.ask(`DELETE /api/v1/tokens/${second?.id}`)
    await place.answerOf('init', '--host', 'claude-code', '--agent', 'robin', '--http')
    expect((await tokensOf(place)).map(({ id }) => id)).not.toContain(second?.id)
    expect(await tokensOf(place)).toHaveLength(1)
  })

  it('follows the server to another port, with the same token', async () => {
    const place = await makeUser()
    await install(place, '--http')
    const before = postingIn(place.settings)['PostToolBatch']!
    const [token] = await tokensOf(place)
    await place.server.stop()
    const server = await startServe({ home: place.home })
    expect(await install(place, '--http')).toMatchObject({ changed: true, server: server.url })
    const after = postingIn(place.settings)['PostToolBatch']!
    expect(after).toEqual({ ...before, url: `${server.url}${PATH}?agent=quinn` })
    expect(await tokensOf(place)).toEqual([token])
  })

  it('shows nobody the token, and says who could read it', async () => {
    const place = await makeUser(0o644)
    const { stdout } = await place.run('init', '--host', 'claude-code', '--agent', 'quinn', '--http')
    const { headers } = postingIn(place.settings)['PostToolBatch']!
    expect(stdout).toContain('"Authorization": "Bearer pst_…"')
    expect(stdout).not.toContain(headers.Authorization)
    expect(stdout).toContain(`Careful: others can read ${place.settings}`)
    chmodSync(place.settings, 0o600)
    expect((await install(place, '--http')).warnings.join()).not.toContain('others can read')
  })

  it('is offered where a server runs, and nowhere else', async () => {
    const place = await makeUser()
    const init = ['init', '--host', 'claude-code', '--agent', 'quinn']
    expect((await place.run(...init)).stdout).toContain(`A server runs at ${place.server.url}: with --http`)
    expect((await place.run('init', '--host', 'codex', '--agent', 'quinn')).stdout).not.toContain('--http')
    await place.server.stop()
    expect((await place.run(...init)).stdout).not.toContain('--http')
  })

  it.each([
    ['for a project, whose file is committed', ['claude-code', '--scope', 'project'], 64, 'usually committed'],
    ['for a host that cannot post', ['codex'], 64, 'cannot post'],
  ])('is refused %s', async (_, [host = '', ...words], exit, reason) => {
    const place = await makeUser()
    const refused = await place.run('init', '--host', host, '--agent', 'quinn', '--http', ...words)
    expect(refused).toMatchObject({ exit, stderr: expect.stringContaining(reason) })
    expect(read(place)).toBe(THEIRS)
    expect(await tokensOf(place)).toEqual([])
  })

  it('is refused where no server runs', async () => {
    const place = await makeUser()
    await place.server.stop()
    const refused = await place.run('init', '--host', 'claude-code', '--agent', 'quinn', '--http')
    expect(refused).toMatchObject({ exit: 69, stderr: expect.stringContaining('Start it with "postern serve"') })
    expect(read(place)).toBe(THEIRS)
  })

  it("is refused in a process of an agent's own, which may make no tokens", async () => {
    const place = await makeUser()
    const store = await openLocal(join(place.home, 'postern.db'), { upkeep: false })
    const [pid, pidStartedAt] = [process.pid, processStart(process.pid) ?? 0]
    await store.sessions.begin({ id: 'own', agent: 'robin', host: 'claude-code', pid, pidStartedAt })
    await store.close()
    const refused = await place.run('init', '--host', 'claude-code', '--agent', 'quinn', '--http')
    expect(refused).toMatchObject({ stderr: expect.stringContaining('[NOT_ALLOWED]') })
    expect(read(place)).toBe(THEIRS)
  })

  it('is looked after by the doctor', async () => {
    const place = await makeUser()
    const findings = async () => {
      const { checks } = JSON.parse((await place.run('doctor', '--json')).stdout) as HealthReport
      return checks.find(({ name }) => name === 'host.claude-code.http')
    }
    expect(await findings()).toBeUndefined()
    await install(place, '--http')
    const answers = expect.stringMatching(/answers for quinn in [\d.]+ ms/)
    // On a busy machine it is slow, and doctor says so.
    expect(await findings()).toMatchObject({ detail: answers })
    const [token] = await tokensOf(place)
    await place.server.ask(`DELETE /api/v1/tokens/${token?.id}`)
    expect(await findings()).toMatchObject({ ok: false, detail: expect.stringContaining('does not take its token') })
    await place.server.stop()
    expect(await findings()).toMatchObject({
      ok: false,
      detail: expect.stringContaining('no server of this store is at'),
      next: expect.stringContaining('postern serve'),
    })
  })

  it('lets the doctor ask no server but that of the store', async () => {
    const place = await makeUser()
    const other = await makePlace()
    await install(place, '--http')
    writeFileSync(place.settings, read(place).replaceAll(place.server.url, other.server.url))
    const { checks } = JSON.parse((await place.run('doctor', '--json')).stdout) as HealthReport
    expect(checks.find(({ name }) => name === 'host.claude-code.http')).toMatchObject({
      ok: false,
      detail: expect.stringContaining(`but one is at ${place.server.url}`),
    })
  })
})
