import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { COMMON_OPTIONS, type Command, type Io } from '../../src/cli/shell/command.ts'
import { helpFor } from '../../src/cli/shell/help.ts'
import { parseArgs } from '../../src/cli/shell/parse.ts'
import { formatError } from '../../src/cli/shell/run-command.ts'
import { readConfig } from '../../src/host/config/config.ts'
import { asPosternError, type ErrorCode, errorOf, errorTable } from '../../src/model/errors.ts'
import { OPERATION_NAMES, OPERATIONS } from '../../src/model/operations.ts'
import type { Postern } from '../../src/model/postern.ts'
import { describeTool } from '../../src/operations/tools/described.ts'
import { TOOL_SETS } from '../../src/operations/tools/table.ts'
import { describeApi } from '../../src/server/openapi/openapi.ts'
import { openServer, type TestServer } from '../helpers/http-server.ts'
import { type Schema, sampleOf } from '../helpers/json-schema.ts'
import { askMcp } from '../helpers/mcp/http-client.ts'
import { fastFolder } from '../helpers/temp.ts'
import { inWarmProcess, warmPostern } from '../helpers/warm-command.ts'
import { commandsIn, faultsOfNext, faultsOfText, findCommand } from '../house/error-faults.ts'

/** What a caller can do wrong with a field. */
const KINDS = {
  missing: undefined,
  empty: '',
  'wrong type': { odd: true },
  'too long': 'x'.repeat(3_000),
  unknown: 'no-such-thing',
} as const
type Kind = keyof typeof KINDS
const EVERY_KIND = Object.keys(KINDS) as Kind[]

let unknowns = 0

/** Use a new unknown name each time, because following a next step may create it. */
function givenFor(kind: Kind): unknown {
  return kind === 'unknown' ? `${KINDS.unknown}-${++unknowns}` : KINDS[kind]
}

/** The same as text. A word of the command line has no other type. */
function textOf(kind: Exclude<Kind, 'missing'>): string {
  return kind === 'wrong type' ? JSON.stringify(KINDS[kind]) : String(givenFor(kind))
}

interface Refusal {
  readonly place: string
  readonly field: string
  readonly kind: Kind
  readonly code: string
  readonly message: string
  readonly next: string
}

type Answer = Pick<Refusal, 'code' | 'message' | 'next'>

/** Runs a command that a next step names, and returns how it was refused; undefined if it was not. */
type Follow = (words: string) => Promise<Answer | undefined>

/** What is wrong with the refusals of a walk. Each next step is followed as soon as it is met, once. */
class Findings {
  readonly faults = new Set<string>()
  count = 0
  readonly #followed = new Set<string>()
  readonly #follow: Follow

  constructor(follow: Follow) {
    this.#follow = follow
  }

  async add(refusal: Refusal): Promise<void> {
    this.count++
    for (const fault of faultsOf(refusal)) this.faults.add(fault)
    for (const words of commandsIn(refusal.next)) {
      const known = words.replaceAll(/-\d+\b/g, '')
      if (this.#followed.has(known)) continue
      this.#followed.add(known)
      const answer = await this.#follow(words)
      for (const fault of answer ? faultsOfStep(words, answer) : [])
        this.faults.add(`${refusal.place}, ${refusal.field} ${refusal.kind}: ${fault}`)
    }
  }
}

/** A step with a placeholder may be refused, because the example does not exist. Every other step must work. */
function faultsOfStep(words: string, { code, message, next }: Answer): readonly string[] {
  const isExample = /<[^>]+>/.test(words) && code !== 'USAGE' && code !== 'INTERNAL'
  const refused = isExample ? [] : [`"postern ${words}" is refused: ${message} [${code}]`]
  return [...refused, ...faultsOfNext(next).filter((fault) => !fault.startsWith('an option'))]
}

/** Timeout for commands that wait. */
const WAIT_MS = 1

/** They work on files of the working folder, read standard input, or write to the standard output themselves. */
const ON_FILES = /^(?:handoff|bus|backup|doctor|inbox drain)\b/

async function openScene(): Promise<TestServer> {
  const server = await openServer()
  const { postern } = server.served
  for (const id of ['quinn', 'mindy']) await postern.agents.add({ id })
  await postern.agents.add({ id: 'justin', kind: 'human', isOwner: true })
  await postern.sessions.begin({ id: 'quinn', agent: 'quinn', host: 'claude-code' })
  return server
}

/** The values that the walk gives, and the words for a value that is not there. */
const GIVEN = /quinn|0\.0\.1001|no-such-thing|xxxxxxxx|odd|is empty|is missing|\(empty\)|has \d+ bytes/

/** Whether the text of a code has a slot for the thing that it is about. */
function isAboutThing(code: string): boolean {
  return /\{(?:"|id|name|field|zone|path|topic)/.test(errorTable()[code as ErrorCode].text) || code === 'INPUT_INVALID'
}

/** What is wrong with a refusal: a hole, an unusable next step, or no word of what it is about. */
function faultsOf({ place, field, kind, code, message, next }: Refusal): readonly string[] {
  const said = `${message} ${next}`
  const words = [field, spoken(field), 'is not valid'].map((word) => word.toLowerCase())
  const isNamed = !isAboutThing(code) || GIVEN.test(said) || words.some((word) => said.toLowerCase().includes(word))
  const isOwnOption = place.startsWith('postern ')
  const faults = [
    ...faultsOfText(message),
    ...faultsOfNext(next).filter((fault) => !(isOwnOption && fault.startsWith('an option'))),
    ...(isNamed ? [] : [`names nothing: ${said}`]),
    ...(code === 'INTERNAL' ? [`not expected: ${message}`] : []),
  ]
  return faults.map((fault) => `${place}, ${field} ${kind}: [${code}] ${fault}`)
}

/** `dedupKey` and `dedup_key` read as `dedup key`. */
function spoken(field: string): string {
  return field
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll(/[-_]/g, ' ')
    .replace(/ ms$/, '')
}

async function overHttp({ url, token, ask }: TestServer, findings: Findings): Promise<void> {
  const admin = await token()
  for (const [template, methods] of Object.entries(describeApi().paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
      const schema = (requestBody?.content['application/json']?.schema ?? {}) as Schema
      const waits = 'timeoutMs' in (schema.properties ?? {}) ? { timeoutMs: WAIT_MS } : {}
      const body = { ...(sampleOf({ type: 'object', ...schema }) as object), ...waits }
      const path = template.replaceAll(/\{(\w+)\}/g, 'quinn')
      const send = async (field: string, kind: Kind, sent: { path?: string; body?: unknown }) => {
        const route = `${method.toUpperCase()} ${sent.path ?? path}`
        const asked = requestBody ? { body: sent.body ?? body } : {}
        const answer = /\/stream$/.test(template) ? await askStream(route) : await ask(route, asked)
        if (answer.status < 400 || answer.body?.code === undefined) return
        const { code, detail: message, next } = answer.body
        await findings.add({ place: `HTTP ${route.slice(0, 60)}`, field, kind, code, message, next })
      }
      for (const field of Object.keys(schema.properties ?? {})) {
        for (const kind of EVERY_KIND) await send(field, kind, { body: { ...body, [field]: givenFor(kind) } })
      }
      if (requestBody) await send('body', 'wrong type', { body: [] })
      for (const { name, in: place } of parameters) {
        for (const kind of ['empty', 'too long', 'unknown'] as const) {
          if (place === 'query') await send(name, kind, { path: `${path}?${name}=${textOf(kind)}` })
          if (place === 'path') await send(name, kind, { path: withParameter(template, name, textOf(kind)) })
        }
      }
    }
  }

  /** A stream that begins does not end. */
  async function askStream(route: string) {
    const stop = new AbortController()
    const headers = { authorization: `Bearer ${admin}` }
    const response = await fetch(new URL(route.split(' ')[1] ?? '', url), { headers, signal: stop.signal })
    try {
      return { status: response.status, body: response.ok ? undefined : JSON.parse(await response.text()) }
    } finally {
      stop.abort()
    }
  }
}

function withParameter(template: string, name: string, value: string): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, other: string) => (other === name ? value : 'quinn'))
}

async function overMcp({ url, token }: TestServer, findings: Findings): Promise<void> {
  const own = await token('agent:quinn')
  const tools = new Map(Object.values(TOOL_SETS).flatMap((set) => set.map((tool) => [tool.name, tool])))
  for (const tool of tools.values()) {
    const schema = describeTool(tool).inputSchema as Schema
    const waits = 'waitSeconds' in (schema.properties ?? {}) ? { waitSeconds: 0 } : {}
    const sample = { ...(sampleOf({ type: 'object', ...schema }) as object), ...waits }
    for (const field of Object.keys(schema.properties ?? {})) {
      for (const kind of EVERY_KIND) {
        const params = { name: tool.name, arguments: { ...sample, [field]: givenFor(kind) } }
        const { message: answer } = await askMcp({ url, token: own, method: 'tools/call', params })
        if (!answer?.result?.isError) continue
        const [, message = '', code = ''] = /^(.*) \[(\w+)\]$/s.exec(answer.result.content[0].text) ?? []
        const [, lister = ''] = /which (?:\w+ )?there are with (\w+)/.exec(message) ?? []
        const { required = [] } = describeTool(tools.get(lister) ?? tool).inputSchema as Schema
        if (tools.has(lister)) expect(required, `${lister} lists them`).toEqual([])
        await findings.add({ place: `MCP ${tool.name}`, field, kind, code, message, next: message })
      }
    }
  }
}

const FACES = new Set(OPERATION_NAMES.map((name) => OPERATIONS[name].cli))
const isFace = ({ path }: Command) => FACES.has(path) && !ON_FILES.test(path)

/** A command with its words, and the field in which they are wrong. */
interface Attempt {
  readonly command: Command
  readonly field: string
  readonly kind: Kind
  readonly argv: readonly string[]
}

/** What commands need beside the field that is wrong, to get as far as that field. */
const SOUND: Readonly<Record<string, readonly (readonly [option: string, value: string])[]>> = {
  'inbox push': [['to', 'quinn']],
  'inbox snooze': [['for', '1h']],
  'bus post': [['project', 'quinn']],
  'bus read': [['project', 'quinn']],
  'bus watch': [['project', 'quinn']],
  'bus issues': [['project', 'quinn']],
  'bus verify': [['project', 'quinn']],
  'bus rotate': [['project', 'quinn']],
  'handoff leave': [['type', 'learning']],
  'handoff outbox write': [['kind', 'governance-report']],
  'message send': [['subject', 'quinn']],
  'ledger topic create': [['entity', 'task:quinn']],
  'plan set': [['run-after', '1h']],
  'token create': [['scope', 'admin']],
  init: [['host', 'claude-code']],
  run: [['project', 'quinn']],
}

/** Operands that are not agent names, with a valid value. */
const OPERANDS: Readonly<Record<string, string>> = { entity: 'task:quinn', topic: '0.0.1001' }

/** Operands that an option can stand for. */
const TEXTS = ['text', 'body', 'reason', 'instruction']
const INSTEAD = ['file', 'body-file', 'reason']
const WHEN = ['at', 'cron']

/** Every field of a command with values of the kinds, all others being sound. */
function* attempts(command: Command): Generator<Attempt> {
  const options = (command.options ?? []).filter(({ isInternal, value }) => !isInternal && value !== undefined)
  const operands = (command.operands ?? '').split(' ').filter(Boolean)
  const nameOf = (operand: string) => operand.replaceAll(/[[\]<>…]/g, '')
  const soundOf = (operand: string) => OPERANDS[nameOf(operand)] ?? 'quinn'
  const isText = (operand: string) => TEXTS.includes(nameOf(operand)) && !operands.includes('[id]')
  const hasTimeout = options.some(({ name }) => name === 'timeout')
  const soundFor = (field: string) => [
    ...(SOUND[command.path] ?? []).filter(
      ([name]) =>
        name !== field && !(name === 'run-after' && WHEN.includes(field)) && !(name === 'for' && field === 'until'),
    ),
    ...(hasTimeout && field !== 'timeout' ? [['timeout', `${WAIT_MS}ms`] as const] : []),
  ]
  const wordsFor = (field: string) => soundFor(field).flatMap(([name, value]) => [`--${name}`, value])
  const givenBeside = (field: string) =>
    operands.filter((each) => each.startsWith('<') || (isText(each) && !INSTEAD.includes(field))).map(soundOf)

  for (const { name } of options) {
    for (const kind of EVERY_KIND) {
      const rest = givenBeside(name)
      // A command takes all words behind its first operand.
      const argv = kind === 'missing' ? [...rest, `--${name}`] : [`--${name}`, textOf(kind), ...rest]
      yield { command, field: name, kind, argv: [...wordsFor(name), ...argv] }
    }
  }
  for (const [at, operand] of operands.entries()) {
    const field = nameOf(operand)
    for (const kind of EVERY_KIND) {
      if (kind === 'missing' && !operand.startsWith('<')) continue
      const before = operands.slice(0, at).map(soundOf)
      const after = operands
        .slice(at + 1)
        .filter((each) => each.startsWith('<') || isText(each))
        .map(soundOf)
      const words = kind === 'missing' ? before : [...before, textOf(kind), ...after]
      yield { command, field, kind, argv: [...wordsFor(field), ...words] }
    }
  }
  yield { command, field: '--no-such-option', kind: 'unknown', argv: [...givenBeside(''), '--no-such-option'] }
}

/** Commands that only ask the store run here; their refusals are those that a process prints. */
async function overCommands({ served: { postern } }: TestServer, findings: Findings): Promise<void> {
  for (const command of COMMANDS.filter(isFace)) {
    for (const { field, kind, argv } of attempts(command)) {
      const answer = await runHere(postern, command, argv)
      if (answer) await findings.add({ place: `postern ${command.path}`, field, kind, ...answer })
    }
  }
}

async function runHere(postern: Postern, command: Command, argv: readonly string[]): Promise<Answer | undefined> {
  try {
    const args = parseArgs(command, argv)
    if (args.has('help')) expect(helpFor(command)).toContain(command.path)
    else await command.run(quietIo(postern), args)
    return undefined
  } catch (thrown) {
    const error = asPosternError(thrown)
    expect(formatError(error)).toContain(`[${error.code}]`)
    const { code, message, next } = error
    return { code, message, next }
  }
}

/** Commands that take a process are followed by the walk over those. */
async function followHere({ served }: TestServer, words: string): Promise<Answer | undefined> {
  const found = findCommand(words)
  return found && isFace(found.command) ? runHere(served.postern, found.command, found.argv) : undefined
}

/** A hook always answers its host, so it never refuses. */
const REFUSES_NOTHING = ['hook']

/** Words that a command needs beside the one that is wrong. */
const NEEDED: Readonly<Record<string, readonly string[]>> = { ui: ['--print'], demo: ['--print'] }

/** A command that is not refused may run forever. */
const KILL_AFTER_MS = 1_500
/** Commands run at once, because most of the time is spent waiting for the kill. */
const LANES = 4

interface Place {
  readonly home: string
  readonly cwd: string
}

async function openHome(): Promise<Place> {
  const home = fastFolder()
  for (const words of ['quinn', 'mindy', 'justin --kind human --owner']) {
    await warmPostern({ home }, 'agent', 'add', ...words.split(' '))
  }
  const folder = join(home, 'project')
  mkdirSync(join(folder, '.git'), { recursive: true })
  return { home, cwd: folder }
}

async function overProcesses(place: Place, findings: Findings): Promise<void> {
  const own = COMMANDS.filter((command) => !isFace(command) && !REFUSES_NOTHING.includes(command.path))
  const waiting = [...own.flatMap((command) => [...attempts(command)]), ...commonAttempts()]
  await Promise.all(Array.from({ length: LANES }, work))

  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { command, field, kind, argv } = next
      const words = [...command.path.split(' '), '--json', ...(NEEDED[command.path] ?? []), ...argv]
      const answer = await runThere(place, words)
      if (answer) await findings.add({ place: `postern ${command.path}`, field, kind, ...answer })
    }
  }
}

async function runThere(place: Place, words: readonly string[]): Promise<Answer | undefined> {
  const isForPeople = findCommand(words.join(' '))?.command.isForPeople === true
  const env = isForPeople ? {} : { POSTERN_AGENT: 'quinn' }
  const { exit, stdout, stderr } = await inWarmProcess({ ...place, env, killAfterMs: KILL_AFTER_MS }, ...words)
  const answer = answerIn(stdout)
  // The command of a run has exit codes of its own.
  if (answer === undefined && stderr.includes('postern:') && exit >= 64 && exit < 126)
    expect.fail(`${words.join(' ')}: ${stderr}`)
  return answer
}

const EXAMPLES: Readonly<Record<string, string>> = { port: '0', scope: 'admin' }

async function followThere(place: Place, words: string): Promise<Answer | undefined> {
  // It needs the server that has refused.
  if (words === 'ui') return undefined
  return runThere(place, [...words.replaceAll(/<([^>]*)>/g, (_, name) => EXAMPLES[name] ?? 'x').split(' '), '--json'])
}

/** The options that every command has. */
function* commonAttempts(): Generator<Attempt> {
  const command = COMMANDS.find(({ path }) => path === 'inbox list')
  if (!command) return
  for (const { name, value } of COMMON_OPTIONS) {
    if (value === undefined) continue
    for (const kind of EVERY_KIND) {
      yield { command, field: name, kind, argv: kind === 'missing' ? [`--${name}`] : [`--${name}`, textOf(kind)] }
    }
  }
}

function answerIn(stdout: string): Answer | undefined {
  try {
    return JSON.parse(stdout).error
  } catch {
    return undefined
  }
}

function quietIo(postern: Postern): Io {
  const nowhere = { isTerminal: false, columns: 1_000, line: () => {} }
  return {
    config: readConfig({ flags: { home: fastFolder() }, env: {}, cwd: '/' }),
    isJson: true,
    stdout: nowhere,
    stderr: nowhere,
    readStdin: async () => '',
    environmentAgent: 'quinn',
    open: async () => postern,
    now: Date.now,
  }
}

describe('a refusal', () => {
  it.each([
    ['HTTP', overHttp, 1_500],
    ['MCP', overMcp, 250],
    ['the command line', overCommands, 1_000],
  ] as const)('over %s has no empty slot, names its subject, and names a next step that works', async (_, walk, atLeast) => {
    const scene = await openScene()
    const findings = new Findings((words) => followHere(scene, words))
    await walk(scene, findings)
    expect([...findings.faults]).toEqual([])
    expect(findings.count).toBeGreaterThan(atLeast)
  })

  it('of a command that needs its own process has no empty slot, names its subject and a working next step', async () => {
    const place = await openHome()
    const findings = new Findings((words) => followThere(place, words))
    await overProcesses(place, findings)
    expect([...findings.faults]).toEqual([])
    expect(findings.count).toBeGreaterThan(500)
  })

  it.each([
    ['empty quotes', { message: 'There is no message "".' }],
    ['a value that is missing', { message: 'The type undefined is not valid.' }],
    ['two spaces', { message: 'The type  is not valid.' }],
    ['no word of the thing', { code: 'MESSAGE_NOT_FOUND', message: 'There is none.' }],
    ['a command that is not there', { next: 'See "postern mail list".' }],
    ['an option that is not there', { next: 'See "postern inbox list --odd".' }],
    ['a step that is refused', { next: 'See "postern agent list".' }],
    ['something unexpected', { code: 'INTERNAL' }],
  ])('is found to have %s', async (_, planted) => {
    const refused: Answer = { code: 'USAGE', message: 'It is so.', next: 'Do that.' }
    const findings = new Findings(async (words) => (words === 'agent list' ? refused : undefined))
    await findings.add({ place: 'HTTP GET /', field: 'type', kind: 'empty', ...refused, ...planted })
    expect(findings.faults.size).toBe(1)
  })

  it('names only existing commands, for every error code', async () => {
    const place = await openHome()
    const findings = new Findings((words) => followThere(place, words))
    for (const code of Object.keys(errorTable()) as ErrorCode[]) {
      const { text, next: step } = errorTable()[code]
      const slots = [...`${text}${step}`.matchAll(/\{"?(\w+)"?\}/g)].map(([, name = '']) => [name, '<x>'])
      const details = { ...Object.fromEntries(slots), next: 'Do that.', message: 'It is so.' }
      const { message, next } = errorOf(code, details)
      await findings.add({ place: code, field: 'x', kind: 'unknown', code, message, next })
    }
    expect([...findings.faults].filter((fault) => fault.includes('is refused'))).toEqual([])
  })
})
