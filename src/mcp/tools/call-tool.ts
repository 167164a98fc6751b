import {
  type CallToolResult,
  type InputRequiredResult,
  isInputRequiredResult,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { parseInput } from '../../operations/input.ts'
import type { Tool } from '../../operations/tools/tool.ts'
import { asSeenBy } from '../connection.ts'
import { decideHere } from '../elicit.ts'
import type { Wiring } from '../mcp-server.ts'
import { answerDecision } from './asking.ts'
import { HANDLERS } from './handlers.ts'
import { toRefusal, toResult } from './result.ts'
import type { Input, Outcome, ToolCall } from './tool-call.ts'

export interface Calling {
  readonly server: Server
  readonly wiring: Wiring
  readonly ctx: ServerContext
  readonly tool: Tool
  readonly given: Input
}

/**
 * Does what a client calls for. That it calls at all shows that it has what was answered before, which is seen from now
 * on. Whatever is refused is an answer that a model can act on.
 */
export async function callTool(calling: Calling): Promise<CallToolResult | InputRequiredResult> {
  const { wiring, tool, given } = calling
  const { connection } = wiring
  const answering: Answering = { isOver: false }
  try {
    await connection.shown.confirm(`the agent called ${tool.name}`)
    const call: ToolCall = {
      connection,
      tool,
      input: parseInput(tool, given),
      signal: signalOf(calling),
      onSettled: (tell) => settleOnce(calling, answering, tell),
    }
    if (tool.name === 'decision_create' && connection.person) {
      const outcome = await decideHere(calling, call, connection.person)
      return isInputRequiredResult(outcome) ? outcome : toResult(tool, await answerDecision(connection, outcome))
    }
    const handle = HANDLERS[tool.name]
    if (!handle) throw new Error(`nobody does ${tool.name}`)
    return toResult(tool, await handle(call))
  } catch (error) {
    return toRefusal(tool, asSeenBy(connection, error))
  } finally {
    answering.isOver = true
  }
}

/**
 * A call that is cancelled while it is being answered gets no answer, and whoever cancels later reads none. Otherwise only
 * whoever carries the answer knows what became of it: over HTTP a request is over, and its own signal given, when its
 * answer begins to go out.
 */
function settleOnce({ wiring, ctx }: Calling, answering: Answering, tell: (outcome: Outcome) => void): void {
  let isTold = false
  const tellOnce = (outcome: Outcome) => {
    if (isTold && outcome !== 'lost') return
    isTold = true
    tell(outcome)
  }
  const whenAborted = (signal: AbortSignal | undefined, abort: () => void) => {
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
  }
  whenAborted(ctx.mcpReq.signal, () => {
    if (!answering.isOver) tellOnce('unsent')
  })
  whenAborted(wiring.cancelled?.(ctx), () => tellOnce(answering.isOver ? 'lost' : 'unsent'))
  wiring.onSettled(ctx, tellOnce)
}

function signalOf({ wiring, ctx }: Calling): AbortSignal {
  const cancelled = wiring.cancelled?.(ctx)
  return cancelled ? AbortSignal.any([ctx.mcpReq.signal, cancelled]) : ctx.mcpReq.signal
}

interface Answering {
  /** The answer is whole, and on its way out. */
  isOver: boolean
}
