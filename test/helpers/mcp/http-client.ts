import { type Answer, ask } from '../http-server.ts'
import { ENVELOPE, type Era, LEGACY, MODERN, type RpcAnswer } from './raw-client.ts'

export interface McpCall {
  readonly url: string
  readonly token: string | null
  readonly era?: Era
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface McpReply {
  readonly status: number
  /** Undefined where what came is no message of the protocol. */
  readonly message: RpcAnswer | undefined
  readonly answer: Answer
}

/** One request to `/mcp`, as clients of either revision send it. */
export async function askMcp({ url, token, era = 'modern', method, params = {} }: McpCall): Promise<McpReply> {
  const isModern = era === 'modern'
  const sent = isModern ? { ...params, _meta: { ...ENVELOPE, ...(params['_meta'] as object | undefined) } } : params
  const name = params['name'] ?? params['uri']
  const headers: Record<string, string> = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': isModern ? MODERN : LEGACY,
    ...(isModern && { 'mcp-method': method, ...(typeof name === 'string' && { 'mcp-name': name }) }),
  }
  const body = { jsonrpc: '2.0', id: 1, method, params: sent }
  const answer = await ask(url, 'POST /mcp?tools=seeds', { token, body, headers })
  return { status: answer.status, message: readMessage(answer.text), answer }
}

/** The message in an answer, whether it came as a stream or not. */
export function readMessage(text: string): RpcAnswer | undefined {
  try {
    const message = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text)
    return message.jsonrpc === '2.0' ? message : undefined
  } catch {
    return undefined
  }
}
