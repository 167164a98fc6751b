import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { ancestors } from '../../src/kit/node/processes.ts'
import type { Body, ToolCall } from './dialects.ts'
import type { Driver } from './driver.ts'
import { processesIn } from './leftovers.ts'
import type { ModelRequest } from './model.ts'
import type { Place } from './place.ts'

/** Where a host finds the tools: a program that it starts, or a server. */
export type Entry =
  | { readonly command: string; readonly args: readonly string[] }
  | { readonly url: string; readonly token: string }

/** A host that was told of an MCP server named postern. */
export interface ToolHost extends Driver {
  /** The call by which its model uses one of the server's tools. */
  callTool(tool: string, input?: Readonly<Record<string, unknown>>): ToolCall
  /** The calls by which its model gets to know a tool whose name is all that it was told of. */
  lookUp(tool: string): readonly ToolCall[]
  /** The names of the server's tools that the model was told of, in order of the alphabet. */
  told(request: ModelRequest | undefined): readonly string[]
  /** What the model was handed as results of tools, as it came, the oldest first. */
  handed(request: ModelRequest | undefined): readonly string[]
  /** The text in what it was handed as the result of a tool that shows one. */
  textIn(handed: string | undefined): string
}

export const STDIO: Entry = { command: process.execPath, args: [inject('executable'), 'mcp', '--agent', 'quinn'] }

export function withTools(driver: Driver, entry: Entry = STDIO): ToolHost {
  return { ...driver, ...HOSTS[driver.host], ...settingsWith(driver, entry) }
}

type Speech = Omit<ToolHost, keyof Driver>

const HOSTS: Readonly<Record<Driver['host'], Speech>> = {
  'claude-code': speechOfClaude('mcp__postern__'),
  codex: {
    callTool: (name, input = {}) => ({ namespace: 'mcp__postern', name, input }),
    lookUp: () => [],
    told: (request) =>
      namesOf(itemsOf(request?.body['tools']).find(({ name }) => name === 'mcp__postern')?.['tools'], ''),
    handed: (request) =>
      itemsOf(request?.body['input'])
        .filter(({ type }) => type === 'function_call_output')
        .map(({ output }) => asText(output)),
    textIn: (handed = '') => textOf(handed.replace(/^Wall time: .*\nOutput:\n/, '')),
  },
  gemini: {
    callTool: (tool, input = {}) => ({ name: `mcp_postern_${tool}`, input }),
    lookUp: () => [],
    told: (request) => namesOf(itemsOf(request?.body['tools'])[0]?.['functionDeclarations'], 'mcp_postern_'),
    handed: (request) =>
      itemsOf(request?.body['contents'])
        .flatMap(({ parts }) => itemsOf(parts))
        .flatMap(({ functionResponse }) => itemsOf([functionResponse]))
        .map(({ response }) => JSON.stringify(response)),
    textIn: (handed = '') => (JSON.parse(handed) as { output: string }).output,
  },
}

/** Its tools are held back but for those that ask not to be: of the others the model gets the names. */
export function speechOfClaude(prefix: string): Speech {
  return {
    callTool: (tool, input = {}) => ({ name: `${prefix}${tool}`, input }),
    lookUp: (tool) => [{ name: 'ToolSearch', input: { query: `select:${prefix}${tool}`, max_results: 1 } }],
    told: (request) => {
      const found = [...JSON.stringify(request?.body ?? {}).matchAll(new RegExp(`${prefix}(\\w+)`, 'g'))]
      return [...new Set(found.map(([, name = '']) => name))].sort()
    },
    handed: (request) =>
      itemsOf(request?.body['messages'])
        .flatMap(({ content }) => itemsOf(content))
        .filter(({ type }) => type === 'tool_result')
        .map(({ content }) => asText(content)),
    textIn: (handed = '') => textOf(handed),
  }
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function itemsOf(list: unknown): readonly Body[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : []
}

function namesOf(tools: unknown, prefix: string): readonly string[] {
  const names = itemsOf(tools).map(({ name }) => String(name))
  return names.flatMap((name) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : [])).sort()
}

function textOf(structured: string): string {
  return (JSON.parse(structured) as { text: string }).text
}

function settingsWith(driver: Driver, entry: Entry): Pick<Driver, 'prepare' | 'promptArgs'> {
  return {
    prepare(place, modelUrl) {
      driver.prepare(place, modelUrl)
      WRITERS[driver.host](place, entry)
    },
    promptArgs: (...args) => [
      ...(driver.host === 'claude-code' ? ['--mcp-config', '.mcp.json', '--allowedTools', 'mcp__postern'] : []),
      ...driver.promptArgs(...args),
    ],
  }
}

/** Codex waits about a second for a server that it does not require, and then asks its model without the tools. */
const CODEX_WAITS = { required: true, startup_timeout_sec: 60 }

/** As the manuals say; a person would have their client write it. */
const WRITERS: Readonly<Record<Driver['host'], (place: Place, entry: Entry) => void>> = {
  'claude-code'({ project }, entry) {
    const server =
      'url' in entry ? { type: 'http', url: entry.url, headers: { Authorization: `Bearer ${entry.token}` } } : entry
    writeFileSync(join(project, '.mcp.json'), JSON.stringify({ mcpServers: { postern: server } }))
  },
  codex({ home }, entry) {
    const lines = Object.entries({ ...entry, ...CODEX_WAITS }).map(
      ([key, value]) => `${key} = ${JSON.stringify(value)}`,
    )
    appendFileSync(join(home, '.codex', 'config.toml'), ['', '[mcp_servers.postern]', ...lines, ''].join('\n'))
  },
  gemini({ home }, entry) {
    const file = join(home, '.gemini', 'settings.json')
    const settings = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...settings, mcpServers: { postern: entry } }))
  },
}

/** Ends the client that has started the tools in this home, as a crash would, and nothing else. */
export function killClient(home: string): void {
  const here = processesIn(home)
  // The witness of the server has the same words behind those of its shell.
  const server = here.find((pid) => /^[^\0]*node\0.*\0mcp\0/s.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8')))
  const [client] = server === undefined ? [] : ancestors(server)
  if (!client || !here.includes(client.pid)) throw new Error('no client has started the tools')
  process.kill(client.pid, 'SIGKILL')
}
