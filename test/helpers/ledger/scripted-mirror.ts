import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A mirror that says what it was told to say over HTTP. */
export interface ScriptedMirror {
  readonly url: string
  /** What it was asked, in order. */
  readonly asked: readonly string[]
  close(): Promise<void>
}

export interface ScriptedAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object becomes JSON; a text is sent as it is. */
  readonly body?: unknown
  /** The connection is cut within the answer. */
  readonly isCut?: boolean
  /** Nothing is answered at all. */
  readonly isSilent?: boolean
}

export async function startScriptedMirror(
  answer: (path: string, at: number) => ScriptedAnswer,
): Promise<ScriptedMirror> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    send(response, answer(request.url ?? '', asked.length - 1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function send(response: ServerResponse, answer: ScriptedAnswer): void {
  if (answer.isSilent) return
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {})
  const length = Buffer.byteLength(body)
  response.writeHead(answer.status ?? 200, { ...answer.headers, 'content-length': String(length) })
  if (!answer.isCut) return void response.end(body)
  response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy())
}
