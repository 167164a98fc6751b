import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import type { Command, Io } from '../../src/cli/shell/command.ts'
import { parseArgs } from '../../src/cli/shell/parse.ts'
import { formatError } from '../../src/cli/shell/run-command.ts'
import { readConfig } from '../../src/host/config/config.ts'
import { asPosternError, type ErrorCode, errorTable } from '../../src/model/errors.ts'
import { OPERATION_NAMES, OPERATIONS } from '../../src/model/operations.ts'
import type { Postern } from '../../src/model/postern.ts'
import { describeTool } from '../../src/operations/tools/described.ts'
import { TOOL_SETS } from '../../src/operations/tools/table.ts'
import { describeApi } from '../../src/server/openapi/openapi.ts'
import { openServer, type TestServer } from '../helpers/http-server.ts'
import { type Schema, sampleOf } from '../helpers/json-schema.ts'
import { askMcp } from '../helpers/mcp/http-client.ts'
import { fastFolder } from '../helpers/temp.ts'
import { TIER } from '../helpers/tier.ts'
import { faultsOfNext, faultsOfText } from '../house/error-faults.ts'

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

/** In the quick tier a field gets two kinds, and the next field the kinds that follow. */
let given = 0
function kinds(): readonly Kind[] {
  if (TIER !== 'quick') return EVERY_KIND
  return [given++, given++].map((at) => EVERY_KIND[at % EVERY_KIND.length] as Kind)
}

interface Refusal {
  readonly place: string
  readonly field: string
  readonly kind: Kind
  readonly code: string
  readonly message: string
  readonly next: string
}

/** Waiting is not a refusal, and streams do not end. */
const WAITS = /wait|await|follow|watch|hooks|events|stream/i

/** They work on files of the working folder, or read standard input. */
const ON_FILES = /^(?:handoff|bus|backup|doctor)\b/

async function openScene(): Promise<TestServer> {
  const server = await openServer()
  const { postern } = server.served
  for (const id of ['quinn', 'mindy']) await postern.agents.add({ id })
  await postern.agents.add({ id: 'justin', kind: 'human', isOwner: true })
  await postern.sessions.begin({ id: 'quinn', agent: 'quinn', host: 'claude-code' })
  return server
}

/** The values that the walk gives, and the words for a value that is not there. */
const GIVEN = /quinn|no-such-thing|xxxxxxxx|odd|is empty|is missing|""|has \d+ bytes/

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

async function overHttp({ ask }: TestServer): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = []
  for (const [template, methods] of Object.entries(describeApi().paths)) {
    for (const [method, { operationId, parameters = [], requestBody }] of Object.entries(methods)) {
      if (WAITS.test(`${operationId} ${template}`)) continue
      const schema = (requestBody?.content['application/json']?.schema ?? {}) as Schema
      const body = { ...(sampleOf({ type: 'object', ...schema }) as object) }
      const query = parameters.filter((each) => each.in === 'query')
      const path = template.replaceAll(/\{(\w+)\}/g, 'quinn')
      const send = async (field: string, kind: Kind, sent: { query?: string; body?: object }) => {
        const route = `${method.toUpperCase()} ${path}${sent.query ?? ''}`
        const answer = await ask(route, requestBody ? { body: sent.body ?? body } : {})
        if (answer.status < 400 || answer.body?.code === undefined) return
        const { code, detail: message, next } = answer.body
        refusals.push({ place: `HTTP ${route.slice(0, 60)}`, field, kind, code, message, next })
      }
      for (const field of Object.keys(schema.properties ?? {})) {
        for (const kind of kinds()) await send(field, kind, { body: { ...body, [field]: KINDS[kind] } })
      }
      for (const { name } of query) {
        for (const kind of ['empty', 'unknown'] as const) await send(name, kind, { query: `?${name}=${KINDS[kind]}` })
      }
    }
  }
  return refusals
}

async function overMcp({ url, token }: TestServer): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = []
  const own = await token('agent:quinn')
  for (const tool of TOOL_SETS.seeds) {
    const schema = describeTool(tool).inputSchema as Schema
    const sample = sampleOf({ type: 'object', ...schema }) as object
    for (const field of Object.keys(schema.properties ?? {})) {
      for (const kind of kinds()) {
        const params = { name: tool.name, arguments: { ...sample, waitSeconds: undefined, [field]: KINDS[kind] } }
        const { message: answer } = await askMcp({ url, token: own, method: 'tools/call', params })
        if (!answer?.result?.isError) continue
        const [, message = '', code = ''] = /^(.*) \[(\w+)\]$/s.exec(answer.result.content[0].text) ?? []
        refusals.push({ place: `MCP ${tool.name}`, field, kind, code, message, next: message })
      }
    }
  }
  return refusals
}

const FACES = new Set(OPERATION_NAMES.map((name) => OPERATIONS[name].cli))

async function overCommands(postern: Postern): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = []
  for (const command of COMMANDS.filter(({ path }) => FACES.has(path) && !WAITS.test(path) && !ON_FILES.test(path))) {
    const operands = (command.operands ?? '').split(' ').filter((word) => word.startsWith('<'))
    for (const kind of ['empty', 'too long', 'unknown'] as const) {
      const value = KINDS[kind]
      for (const option of command.options ?? []) {
        if (option.value === undefined || WAITS.test(option.name)) continue
        const argv = [...operands.map(() => 'quinn'), `--${option.name}`, value]
        await note({ field: option.name, kind }, command, argv)
      }
      for (const [at, operand] of operands.entries()) {
        const argv = operands.map((_, other) => (other === at ? value : 'quinn'))
        await note({ field: operand.replaceAll(/[<>…]/g, ''), kind }, command, argv)
      }
    }
  }
  return refusals

  async function note(
    about: Pick<Refusal, 'field' | 'kind'>,
    command: Command,
    argv: readonly string[],
  ): Promise<void> {
    try {
      const args = parseArgs(command, argv)
      await command.run(quietIo(postern), args)
    } catch (thrown) {
      const error = asPosternError(thrown)
      const { code, message, next } = error
      expect(formatError(error)).toContain(`[${code}]`)
      refusals.push({ place: `postern ${command.path}`, ...about, code, message, next })
    }
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
    ['HTTP', overHttp, 150],
    ['MCP', overMcp, 40],
    ['the command line', ({ served }: TestServer) => overCommands(served.postern), 100],
  ] as const)('over %s has no hole, names the thing, and names a next step that works', async (_, walk, atLeast) => {
    const refusals = await walk(await openScene())
    const faults = [...new Set(refusals.flatMap(faultsOf))]
    expect(faults).toEqual([])
    expect(refusals.length).toBeGreaterThan(atLeast)
  })
})
