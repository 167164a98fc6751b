import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { DEAD_MACHINE_MS } from '../patience.ts'
import { createSignal } from '../signal.ts'

/**
 * A client of `postern mcp` that knows nothing of the protocol but its lines: it may send anything, and looks at
 * everything that comes.
 */
export interface RawClient {
  readonly child: ChildProcess
  /** Sends a request and resolves with its answer; rejects where the process ends, or does not answer for long. */
  request(method: string, params?: unknown): Promise<RpcAnswer>
  call(tool: string, input?: unknown): Promise<RpcAnswer>
  /** Sends text as it is. */
  write(text: string | Uint8Array): Promise<void>
  /** Sends a line as it is, and waits for the answer to this id. */
  say(line: string, id: number): Promise<RpcAnswer>
  nextId(): number
  /** What came that is no line of JSON-RPC. */
  readonly strays: readonly string[]
  /** What came that nobody waited for: notifications, requests, answers without an id. */
  readonly others: readonly RpcMessage[]
  stderr(): string
  readonly ended: Promise<Ending>
  /** Ends in good order: closes the input, and waits. */
  end(): Promise<Ending>
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface RpcMessage {
  readonly jsonrpc: '2.0'
  readonly id?: number | string | null
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface RpcAnswer extends RpcMessage {
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into has many shapes
  readonly result?: any
}

export type Era = 'legacy' | 'modern'

export interface RawOptions {
  /** The program and its words. */
  readonly command: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly era?: Era
  /** How long an answer may take. */
  readonly patienceMs?: number
}

export const MODERN = '2026-07-28'
export const LEGACY = '2025-06-18'

/** What goes with every request of the newer revision. */
export const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Starts it and, in the older era, shakes hands. It ends with the test at the latest. */
export async function startRawClient(options: RawOptions): Promise<RawClient> {
  const client = spawnRawClient(options)
  if (options.era !== 'modern') await shakeHands(client)
  return client
}

export async function shakeHands(client: RawClient): Promise<RpcAnswer> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const answer = await client.request('initialize', params)
  await client.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  return answer
}

export function spawnRawClient(options: RawOptions): RawClient {
  const { command, env, cwd, era = 'legacy', patienceMs = DEAD_MACHINE_MS } = options
  const [program = '', ...words] = command
  const child = spawn(program, words, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [stdin, stdout] = [child.stdin!, child.stdout!]
  stdin.on('error', () => {})
  stdout.on('error', () => {})
  let [stderr, rest] = ['', '']
  child.stderr!.on('data', (chunk) => {
    stderr += chunk
  })
  const strays: string[] = []
  const others: RpcMessage[] = []
  const waiting = new Map<number, (answer: RpcAnswer) => void>()
  stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  })
  stdout.on('end', () => {
    if (rest !== '') strays.push(rest)
  })

  function take(line: string): void {
    const message = readRpc(line)
    if (!message) return void strays.push(line)
    const tell = typeof message.id === 'number' && message.method === undefined ? waiting.get(message.id) : undefined
    if (!tell) return void others.push(message)
    waiting.delete(message.id as number)
    tell(message)
  }

  const ended = once(child, 'close').then(([code, signal]): Ending => ({ code, signal }))
  const gone = ended.then(({ code, signal }) => Promise.reject(new Error(`it ended (${code ?? signal}): ${stderr}`)))
  gone.catch(() => {})
  let ids = 0

  const client: RawClient = {
    child,
    strays,
    others,
    ended,
    nextId: () => ++ids,
    stderr: () => stderr,
    request(method, params = {}) {
      const id = ++ids
      const meta = (params as { readonly _meta?: object })._meta
      const sent = era === 'modern' ? { ...(params as object), _meta: { ...ENVELOPE, ...meta } } : params
      return client.say(JSON.stringify({ jsonrpc: '2.0', id, method, params: sent }), id)
    },
    call: (name, input = {}) => client.request('tools/call', { name, arguments: input }),
    async say(line, id) {
      const answer = createSignal<RpcAnswer>()
      waiting.set(id, answer.fire)
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer to ${line.slice(0, 300)}`)), patienceMs)
      })
      await Promise.race([client.write(`${line}\n`), gone])
      return Promise.race([answer.fired, gone, late]).finally(() => clearTimeout(timer))
    },
    write: (text) =>
      new Promise((resolve) => {
        stdin.write(text, () => resolve())
      }),
    end() {
      stdin.end()
      return ended
    },
  }
  return client
}

/** A line as a message of JSON-RPC; undefined where it is none. */
export function readRpc(line: string): RpcMessage | undefined {
  try {
    const message: unknown = JSON.parse(line)
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return undefined
    const { jsonrpc, id, method, result, error } = message as RpcMessage
    const isAnswer = id !== undefined && (result === undefined) !== (error === undefined)
    return jsonrpc === '2.0' && (typeof method === 'string' || isAnswer) ? (message as RpcMessage) : undefined
  } catch {
    return undefined
  }
}

/** The text of a tool's answer. */
export function textOf({ result, error }: RpcAnswer): string {
  return error ? error.message : (result?.content?.[0]?.text ?? '')
}

/** What a tool has answered; it must not have refused. */
export function dataOf<T>(answer: RpcAnswer): T {
  if (answer.error || answer.result?.isError) throw new Error(`refused: ${textOf(answer)}`)
  return answer.result.structuredContent as T
}
