import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOST_VARIABLES } from '../../src/host/person-voice.ts'
import type { Gate, GateStep } from '../../src/model/gate.ts'
import { postern, posternJson } from '../helpers/command.ts'
import { type ClaudeStandIn, startClaude } from '../helpers/hosts/claude-stand-in.ts'
import { ask, startServe } from '../helpers/http-server.ts'
import { ENVELOPE } from '../helpers/mcp/raw-client.ts'
import { openLocal } from '../helpers/open-local.ts'
import { PATIENTLY } from '../helpers/patience.ts'
import { fastFolder } from '../helpers/temp.ts'
import { warmPosternJson } from '../helpers/warm-command.ts'
import { verifies } from './verifies.ts'

/** What Claude Code 2.1.325 sets for its tools. */
const MARKED = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'ses-claude', AI_AGENT: 'claude-code' }

interface Scene {
  readonly home: string
  readonly claude: ClaudeStandIn
  /** A strict gate of quinn that waits for a person. */
  readonly gate: string
  historyOf(gate?: string): Promise<Gate & { readonly steps: readonly GateStep[] }>
}

/** Quinn in a session of a program called `claude`, and a gate that only justin may open. */
async function prepare(
  marks: Readonly<Record<string, string>> = MARKED,
  { isKnown = true }: { readonly isKnown?: boolean } = {},
): Promise<Scene> {
  const home = fastFolder()
  const store = await openLocal(join(home, 'postern.db'), { upkeep: false })
  await store.agents.add({ id: 'quinn' })
  await store.agents.add({ id: 'justin', kind: 'human', isOwner: true })
  const created = await store
    .as({ id: 'justin', kind: 'human', verified: false, via: 'cli' })
    .gates.create({ agent: 'quinn', kind: 'human', mode: 'strict', reason: 'Justin must look first' })
  await store.close()
  const claude = startClaude({ home, agent: 'quinn', marks })
  if (isKnown) {
    expect(await claude.fire('SessionStart')).toMatchObject({ exit: 0 })
    const session = { id: 'ses-claude', pid: claude.pid }
    expect(await warmPosternJson({ home }, 'agent', 'show', 'quinn')).toMatchObject({ session })
  }
  const historyOf: Scene['historyOf'] = (gate = created.id) => warmPosternJson({ home }, 'gate', 'show', gate)
  return { home, claude, gate: created.id, historyOf }
}

/** Asks a question over MCP; a server that may ask the person at the host answers with a form for them. */
async function prepareQuestion({ claude }: Scene): Promise<string> {
  const params = {
    name: 'decision_create',
    arguments: { question: 'Deploy?', options: [{ key: 'a', label: 'Yes' }], ask: ['justin'] },
    _meta: { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } },
  }
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  await claude.run(`cat >question.jsonl <<'END'\n${request}\nEND`)
  return 'mcp --agent quinn --person justin <question.jsonl >answer.jsonl'
}

const answerIn = async ({ claude }: Scene) => (await claude.run('cat answer.jsonl')).stdout

const resolving = (gate: string) => `gate resolve ${gate} --as justin --reason fine`

/** Runs a command and leaves its outcome in two files. */
const noting = (command: string) => `sh -c '"$@" 2>err; echo $? >code' sh postern ${command}`

/** Runs a command in a process that forks twice: its parent has ended, so nothing above it is the host. */
const forkingTwice = (command: string) =>
  `( outer=$(sh -c 'echo $PPID'); ( while kill -0 $outer 2>/dev/null; do :; done; exec ${command} ) & )`

/** Ways in which a process leaves the tree of its host, or its sight. */
const ESCAPES = {
  'stays where it is': noting,
  'forks twice': (command: string) => forkingTwice(noting(command)),
  'leaves the terminal session with setsid': (command: string) => `setsid -f ${noting(command)}`,
  'goes into a pid namespace': (command: string) => `unshare -Urpf ${noting(command)}`,
  'goes into a pid namespace with a /proc of its own': (command: string) =>
    `unshare -Urpf --mount-proc ${noting(command)}`,
} as const

const canUnshare = spawnSync('unshare', ['-Urpf', '--mount-proc', 'true']).status === 0

async function outcomeIn({ claude }: Scene, script: string): Promise<{ code: string; stderr: string }> {
  await claude.run(`rm -f code err; ${script}`)
  await expect.poll(async () => (await claude.run('cat code')).stdout, PATIENTLY).toMatch(/\d/)
  return { code: (await claude.run('cat code')).stdout.trim(), stderr: (await claude.run('cat err')).stdout }
}

const REFUSED = { code: '4', stderr: expect.stringContaining('[NOT_ALLOWED]') }

describe('a process that an AI has started', () => {
  for (const [trick, wrap] of Object.entries(ESCAPES)) {
    it.skipIf(trick.includes('namespace') && !canUnshare)(
      `does not speak as a person where it ${trick}, and its attempt is on record`,
      async () => {
        verifies('G15.no-posing', 'G15.refusals')
        const scene = await prepare()
        const { gate, historyOf } = scene
        expect(await outcomeIn(scene, wrap(resolving(gate)))).toEqual(REFUSED)
        const history = await historyOf()
        expect(history.state).toBe('open')
        const refused = history.steps.filter(({ step }) => step === 'refused')
        expect(refused).toMatchObject([{ trust: { verified: false, via: 'cli' } }])
        expect(refused[0]?.evidence).toMatch(/unverified, via cli, pid \d+\) tried to resolve the gate as justin/)
      },
    )
  }

  it.skipIf(!canUnshare)(
    'is found below its host from a pid namespace that still sees /proc, without any mark',
    async () => {
      verifies('G15.no-posing')
      const scene = await prepare({})
      const nested = ESCAPES['goes into a pid namespace'](resolving(scene.gate))
      const { code, stderr } = await outcomeIn(scene, nested)
      expect({ code, stderr }).toEqual({ code: '4', stderr: expect.stringContaining('a session of quinn') })
    },
  )

  it('does not speak as a person once it has told its own hook that the session ended', async () => {
    verifies('G15.no-posing')
    const scene = await prepare({})
    expect(await scene.claude.fire('SessionEnd')).toMatchObject({ exit: 0 })
    expect(await warmPosternJson(scene, 'agent', 'show', 'quinn')).toMatchObject({ session: null })
    const { code, stderr } = await outcomeIn(scene, ESCAPES['stays where it is'](resolving(scene.gate)))
    expect({ code, stderr }).toEqual({ code: '4', stderr: expect.stringContaining('a session of quinn') })
  })

  it('does not do without a name what is left to people, nor in the name of a person, nor in that of its agent', async () => {
    verifies('G15.no-posing')
    const scene = await prepare()
    await startServe({ home: scene.home })
    for (const words of [
      'ui --print',
      'ui --print --as justin',
      'token create --scope human:justin',
      'agent add shadow --kind human --owner',
      'agent rename justin Nobody',
      'agent add quinn --restore',
      'agent rename quinn Boss',
      'agent remove quinn',
      'inbox held release msg_1',
      'inbox dead retry msg_1',
      'ledger retry par_1',
      'ledger drop par_1',
      'handoff clean',
      'bus rotate --project p',
      'service create ci --agent quinn',
    ]) {
      const setsid = ESCAPES['leaves the terminal session with setsid'](words)
      expect({ words, ...(await outcomeIn(scene, setsid)) }).toEqual({ words, ...REFUSED })
      // Where it stays, it is known as its agent.
      const staying = ESCAPES['stays where it is'](words)
      expect({ words, ...(await outcomeIn(scene, staying)) }).toEqual({ words, ...REFUSED })
    }
  })

  for (const trick of ['forks twice', 'leaves the terminal session with setsid'] as const) {
    it(`shows the person no form with "mcp --person" where it ${trick}`, async () => {
      verifies('G15.no-posing', 'mcp.elicitation')
      const scene = await prepare()
      const escaped = ESCAPES[trick](await prepareQuestion(scene))
      expect(await outcomeIn(scene, escaped)).toMatchObject({ code: '0' })
      expect(await answerIn(scene)).toContain('"state":"open"')
      expect(await answerIn(scene)).not.toContain('inputRequests')
    })
  }

  it('shows the person a form with "mcp --person" where the host itself has started it', async () => {
    verifies('mcp.elicitation')
    // The host starts its servers before its first hook tells of the session.
    const scene = await prepare(MARKED, { isKnown: false })
    expect(await scene.claude.run(`exec postern ${await prepareQuestion(scene)}`)).toMatchObject({ exit: 0 })
    expect(await answerIn(scene)).toContain('inputRequests')
  })

  it('trusts no configuration while the store cannot be read', async () => {
    verifies('G15.no-posing')
    const scene = await prepare()
    const unmarked = await prepare({})
    for (const { home } of [scene, unmarked]) {
      writeFileSync(join(home, 'postern.config.json'), '{}')
      writeFileSync(join(home, 'postern.db'), 'no database '.repeat(999))
    }
    const setsid = ESCAPES['leaves the terminal session with setsid']('config trust')
    expect(await outcomeIn(scene, setsid)).toEqual(REFUSED)
    expect(await outcomeIn(unmarked, ESCAPES['stays where it is']('config trust'))).toEqual(REFUSED)
    expect((await postern({ home: scene.home, cwd: scene.home }, 'config', 'trust')).exit).toBe(0)
  })

  it('is found by the environment of a process above it where its own was cleared', async () => {
    verifies('G15.no-posing')
    const home = fastFolder()
    await posternJson({ home }, 'agent', 'add', 'justin', '--kind', 'human')
    await posternJson({ home }, 'agent', 'add', 'quinn')
    for (const mark of HOST_VARIABLES) {
      const wrap = ['env', `${mark}=1`, 'sh', '-c', `env -u ${mark} "$@"; exit $?`, 'sh']
      const { exit, stderr } = await postern({ home, wrap }, 'inbox', 'push', '--as', 'justin', '--to', 'quinn', 'Yes.')
      expect({ mark, exit }).toEqual({ mark, exit: 4 })
      expect(stderr).toContain(`inherits ${mark} from a coding agent`)
      expect(stderr).toContain('"postern ui"')
    }
    expect(await posternJson({ home }, 'inbox', 'list')).toMatchObject({ items: [] })
  })

  it('is on record as unverified where it has shed every trace, which nothing can prevent', async () => {
    verifies('G15.unverified')
    const scene = await prepare()
    const clean = 'env -i HOME="$HOME" POSTERN_HOME="$POSTERN_HOME" PATH="$PATH"'
    const script = forkingTwice(`${clean} setsid ${noting(resolving(scene.gate))}`)
    expect(await outcomeIn(scene, script)).toEqual({ code: '0', stderr: '' })
    const { steps } = await scene.historyOf()
    expect(steps.at(-1)).toMatchObject({ step: 'resolved', by: 'justin', trust: { kind: 'human', verified: false } })
    const shown = await postern(scene, 'gate', 'show', scene.gate)
    expect(shown.stdout).toContain('unverified')
  })
})

describe('a request over the UNIX socket', () => {
  it('cannot call a person verified', async () => {
    verifies('G15.no-posing', 'G15.unverified')
    const scene = await prepare()
    const { socket } = await startServe({ home: scene.home })
    const as = JSON.stringify({ id: 'justin', kind: 'human', verified: true, via: 'http' })
    const request = ['--unix-socket', socket, '-H', `Postern-As: ${as}`, '-H', 'Content-Type: application/json']
    const sent = execFileSync(
      'curl',
      ['-sS', ...request, '-d', '{"to":["quinn"],"content":"Approved."}', 'http://localhost/api/v1/inbox'],
      { encoding: 'utf8' },
    )
    const { id } = JSON.parse(sent) as { id: string }
    const { message } = await warmPosternJson<{ message: { from: object } }>(scene, 'inbox', 'show', id)
    expect(message.from).toMatchObject({ id: 'justin', kind: 'human', verified: false })
    execFileSync('curl', [
      '-sS',
      ...request,
      '-d',
      '{"reason":"fine"}',
      `http://localhost/api/v1/gates/${scene.gate}/resolve`,
    ])
    const { steps } = await scene.historyOf()
    expect(steps.at(-1)).toMatchObject({ step: 'resolved', by: 'justin', trust: { verified: false, via: 'http' } })
  })

  it('gives a UNIX-socket caller without a token no token, sign-in link or key of a service', async () => {
    verifies('G15.no-posing', 'G15.unverified')
    const scene = await prepare()
    const { socket, ask: askServer } = await startServe({ home: scene.home })
    const ask = (path: string, body: object, headers: readonly string[] = []) => {
      const json = ['-H', 'Content-Type: application/json', ...headers]
      const options = ['-sS', '--unix-socket', socket, ...json, '-d', JSON.stringify(body)]
      return JSON.parse(execFileSync('curl', [...options, `http://localhost/api/v1/${path}`], { encoding: 'utf8' }))
    }
    const as = ['-H', `Postern-As: ${JSON.stringify({ id: 'justin', kind: 'human', verified: false, via: 'http' })}`]
    for (const headers of [[], as]) {
      expect(ask('sign-ins', { person: 'justin' }, headers)).toMatchObject({ code: 'NOT_ALLOWED' })
      expect(ask('services', { name: 'ci', agent: 'quinn' }, headers)).toMatchObject({ code: 'NOT_ALLOWED' })
      for (const scope of ['human:justin', 'admin', 'agent:quinn'])
        expect(ask('tokens', { scope }, headers)).toMatchObject({ code: 'NOT_ALLOWED' })
    }
    const { body } = await askServer('POST /api/v1/tokens', { body: { scope: 'human:justin' } })
    expect(ask('sign-ins', {}, ['-H', `Authorization: Bearer ${body.token}`])).toMatchObject({ person: 'justin' })
  })

  it('is recorded as unverified where it names nobody', async () => {
    verifies('G15.unverified')
    const scene = await prepare()
    const server = await startServe({ home: scene.home })
    const headers = ['-H', 'Content-Type: application/json']
    const gate = { agent: 'quinn', kind: 'human', mode: 'strict', reason: 'Stop here' }
    const options = ['-sS', '--unix-socket', server.socket, ...headers, '-d', JSON.stringify(gate)]
    const { id } = JSON.parse(execFileSync('curl', [...options, 'http://localhost/api/v1/gates'], { encoding: 'utf8' }))
    const { body } = await server.ask('POST /api/v1/gates', { body: gate })
    for (const made of [id, body.id] as string[]) {
      expect(await scene.historyOf(made)).toMatchObject({
        createdBy: 'local',
        createdTrust: { kind: 'local', verified: false, via: 'http' },
      })
    }
  })

  it('can call nobody the system, no program a person, and none verified', async () => {
    verifies('G15.no-posing', 'G15.unverified')
    const scene = await prepare()
    const { socket } = await startServe({ home: scene.home })
    const ask = (as: object, path: string, body: object) => {
      const headers = ['-H', `Postern-As: ${JSON.stringify(as)}`, '-H', 'Content-Type: application/json']
      const options = ['-sS', '--unix-socket', socket, ...headers, '-d', JSON.stringify(body)]
      return JSON.parse(execFileSync('curl', [...options, `http://localhost/api/v1/${path}`], { encoding: 'utf8' }))
    }
    const system = { id: 'system', kind: 'system', verified: true, via: 'postern' }
    const mail = { to: ['quinn'], content: 'Go on.' }
    expect(ask(system, 'inbox', mail)).toMatchObject({ code: 'INPUT_INVALID' })
    for (const kind of ['ai', 'human']) {
      const quinn = { id: 'quinn', kind, verified: true, via: 'http' }
      const { id } = ask(quinn, 'inbox', mail)
      const { message } = await warmPosternJson<{ message: { from: object } }>(scene, 'inbox', 'show', id)
      expect(message.from).toMatchObject({ id: 'quinn', kind: 'ai', verified: false })
      const refusal = ask(quinn, `gates/${scene.gate}/resolve`, { reason: 'fine' })
      expect(refusal).toMatchObject({ code: 'NOT_ALLOWED' })
    }
    expect(ask(system, `gates/${scene.gate}/waive`, { reason: 'fine' })).toMatchObject({ code: 'INPUT_INVALID' })
    expect(await scene.historyOf()).toMatchObject({ state: 'open' })
  })
})

describe('a refused attempt to close a gate or answer a question', () => {
  it('is on record with the address from which it came', async () => {
    verifies('G15.refusals')
    const scene = await prepare()
    const server = await startServe({ home: scene.home })
    const { body } = await server.ask('POST /api/v1/tokens', { body: { scope: 'agent:quinn' } })
    const route = `POST /api/v1/gates/${scene.gate}/waive`
    expect(await ask(server.url, route, { token: body.token, body: { reason: 'let me' } })).toMatchObject({
      status: 403,
    })
    const { steps } = await scene.historyOf()
    expect(steps.at(-1)).toMatchObject({ step: 'refused', by: 'quinn' })
    expect(steps.at(-1)?.evidence).toContain('quinn (ai, verified, via http, 127.0.0.1) tried to waive the gate')
  })

  it('names the session and the process of a command that was refused before it reached the core', async () => {
    verifies('G15.refusals')
    const scene = await prepare({})
    const { stdout } = await scene.claude.run('postern decision create "Deploy?" --option a=Yes --json')
    const decision = JSON.parse(stdout) as { id: string; gateId: string }
    const answering = await scene.claude.run(`postern decision respond ${decision.id} --as justin --select a`)
    expect(answering).toMatchObject({ exit: 4 })
    const cancelling = await scene.claude.run(`postern decision cancel ${decision.id} --as justin`)
    expect(cancelling).toMatchObject({ exit: 4 })
    const { steps } = await scene.historyOf(decision.gateId)
    const refused = steps.filter(({ step }) => step === 'answer-refused')
    expect(refused).toMatchObject([
      { by: 'quinn', sessionId: 'ses-claude' },
      { by: 'quinn', sessionId: 'ses-claude' },
    ])
    expect(refused[0]?.evidence).toMatch(
      /^quinn \(ai, unverified, via cli, pid \d+\) tried to answer the question as justin/,
    )
  })
})
