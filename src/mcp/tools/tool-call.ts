import { PosternError } from '../../model/errors.ts'
import type { OperationName } from '../../model/operations.ts'
import { MAX_WAIT_SECONDS, type Tool } from '../../operations/tools/tool.ts'
import { ask } from '../ask.ts'
import type { Connection } from '../connection.ts'

export type Input = Readonly<Record<string, unknown>>

/** A call of a tool, checked against its declaration. */
export interface ToolCall {
  readonly connection: Connection
  readonly tool: Tool
  readonly input: Input
  /** Given when the client has cancelled the call, or has gone. */
  readonly signal: AbortSignal
  /** Is told what becomes of the answer. */
  onSettled(tell: (outcome: Outcome) => void): void
}

/** The whole answer has gone out, or it has not; and what had gone out may turn out never to have been read. */
export type Outcome = 'sent' | 'unsent' | 'lost'

/** What a tool answers, before it is made fit for its reader. */
export interface ToolAnswer {
  /** As the tool declares it; what is more is left out, times are milliseconds. */
  readonly structured: unknown
  /** The same for readers of text: a sentence of ours, or what was rendered. */
  readonly text: string
}

/** What tools do, by their names. */
export type Handlers = Readonly<Record<string, (call: ToolCall) => Promise<ToolAnswer>>>

/** Asks for one of the operations behind a tool; a change under its key is made once. */
export async function operate<T>(call: ToolCall, name: OperationName, input: Input): Promise<T> {
  const { connection, tool, signal } = call
  if (!tool.operations.includes(name)) throw new PosternError('INTERNAL', { reason: `${tool.name} is not ${name}` })
  return ask<T>(connection, { name, input, signal, key: keyOf(call) })
}

/** The key is the agent's own: nobody stands in another's way by the choice of one. */
function keyOf({ tool: { keyField }, input }: ToolCall): string | undefined {
  return keyField === undefined ? undefined : (input[keyField] as string | undefined)
}

/** What a tool was told, but for the key. */
export function withoutKey({ tool: { keyField }, input }: ToolCall): Input {
  if (keyField === undefined) return input
  const { [keyField]: _, ...fields } = input
  return fields
}

/** How long to wait. Whoever asks for longer than hosts let a call last waits as long as that and asks again. */
export function waitOf({ waitSeconds = 0 }: { readonly waitSeconds?: number }): number {
  return Math.min(Math.max(0, waitSeconds), MAX_WAIT_SECONDS)
}
