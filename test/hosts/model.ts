import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { createSignal, type Signal } from '../helpers/signal.ts'
import { type Body, DIALECTS, type Dialect, type Reply } from './dialects.ts'
import type { Loopback } from './loopback.ts'

/** A reply, or what the test does when the client asks, such as pushing a message while the agent works. */
export type Step = Reply | ((request: ModelRequest) => Reply | Promise<Reply>)

/** What a client sent to its model. */
export interface ModelRequest {
  readonly body: Body
  /** The whole conversation as text, without the descriptions of tools. */
  readonly conversation: string
}

/**
 * A model that says what a script tells it to, on loopback, in the formats of three vendors. Each request of an
 * agent's loop takes the next step; requests beside it get a word and no step.
 */
export interface ScriptedModel {
  readonly url: string
  /** The requests of the agent's loop, each fired as it comes in. */
  readonly asked: Signal<ModelRequest>
  readonly requests: readonly ModelRequest[]
  /** Throws what a step threw, or that the script was too short. */
  check(): void
  close(): Promise<void>
}

export async function startModel(loopback: Loopback, steps: readonly Step[]): Promise<ScriptedModel> {
  const asked = createSignal<ModelRequest>()
  let failure: Error | undefined

  async function nextReply(request: ModelRequest): Promise<Reply> {
    const step = steps[asked.values.length]
    asked.fire(request)
    if (step === undefined) throw new Error(`the client asked ${asked.values.length} times, the script has less`)
    return typeof step === 'function' ? step(request) : step
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://loopback')
    const sent = await readText(request)
    const dialect = DIALECTS.find(({ isAt }) => isAt(pathname))
    if (!dialect) {
      sendBeside(response, pathname)
      return
    }
    const body = JSON.parse(sent) as Body
    const conversation = JSON.stringify(dialect.conversation(body))
    const reply = dialect.offersTools(body) ? await nextReply({ body, conversation }) : { text: 'ok' }
    send(response, dialect, pathname, body, reply)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      failure ??= error
      // A refusal that no client tries again.
      sendJson(response, 400, { type: 'error', error: { type: 'invalid_request_error', message: error.message } })
    })
  })
  const port = await loopback.listen(server)
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    requests: asked.values,
    check() {
      if (failure) throw failure
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** How often a text stands in what the client sent. */
export function occurrences(request: ModelRequest | undefined, marker: string): number {
  return (request?.conversation.split(marker).length ?? 1) - 1
}

function send(response: ServerResponse, dialect: Dialect, path: string, body: Body, reply: Reply): void {
  if (!dialect.wantsStream(path, body)) {
    sendJson(response, 200, dialect.whole(body, reply))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  for (const { name, data } of dialect.stream(body, reply))
    response.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`)
  response.end()
}

const BESIDE: Readonly<Record<string, unknown>> = {
  '/count_tokens': { input_tokens: 100 },
  ':countTokens': { totalTokens: 100 },
  '/models': { object: 'list', data: [], models: [] },
}

/** Clients ask for a few more things; they go on without those that are not here. */
function sendBeside(response: ServerResponse, path: string): void {
  const [, known] = Object.entries(BESIDE).find(([end]) => path.endsWith(end)) ?? []
  if (known === undefined) sendJson(response, 404, { error: { type: 'not_found_error', message: path } })
  else sendJson(response, 200, known)
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}
