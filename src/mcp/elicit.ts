import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
} from '@modelcontextprotocol/server'
import type { Decision } from '../model/decision.ts'
import { PosternError } from '../model/errors.ts'
import type { Postern } from '../model/postern.ts'
import { createDecision } from './tools/asking.ts'
import type { Calling } from './tools/call-tool.ts'
import type { ToolCall } from './tools/tool-call.ts'

/** The name under which the answer to the question comes back. */
const ANSWER = 'answer'

/** Hosts give a call up after two minutes; the question itself goes on. */
const PATIENCE_MS = 110_000

/**
 * Asks a question and, where its client can, puts it before the person who sits there at once. The question is durable
 * before anybody sees it: whatever becomes of the dialogue, it waits for its answer in every other way too.
 */
export async function decideHere(
  calling: Calling,
  call: ToolCall,
  person: () => Promise<Postern>,
): Promise<Decision | InputRequiredResult> {
  const { ctx, wiring } = calling
  const answered = ctx.mcpReq.requestState<string>()
  if (answered !== undefined) return takeAnswer(call, person, { id: answered, response: ctx.mcpReq.inputResponses })

  const { id } = await createDecision(call)
  // Asked again under its key it answers as it did at first, and may have been answered since.
  const decision = await call.connection.postern.decisions.show({ id })
  const asked = await person().catch(() => undefined)
  if (!canElicit(calling) || !asked || !decision.asked.includes(asked.caller.id) || decision.state !== 'open') {
    return decision
  }
  const form = formOf(decision)
  call.connection.put.add(decision.id)
  if (wiring.era === 'modern') {
    return inputRequired({ inputRequests: { [ANSWER]: inputRequired.elicit(form) }, requestState: decision.id })
  }
  const response = await ctx.mcpReq.elicitInput(form, { timeout: PATIENCE_MS }).catch(() => undefined)
  return takeAnswer(call, person, { id: decision.id, response: { [ANSWER]: response } })
}

function canElicit({ server, ctx }: Calling): boolean {
  const said = ctx.mcpReq['envelope'] as Readonly<Record<string, ClientCapabilities>> | undefined
  const capabilities = said?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()
  return capabilities?.elicitation !== undefined
}

/** Options as a list to choose from, and words where words are allowed. */
function formOf({ question, context, options, allowsText }: Decision): ElicitRequestFormParams {
  const choice = {
    type: 'string' as const,
    title: 'Your choice',
    oneOf: options.map(({ key, label, description }) => ({
      const: key,
      title: description === null ? label : `${label}: ${description}`,
    })),
  }
  const words = { type: 'string' as const, title: options.length > 0 ? 'A word on it' : 'Your answer' }
  return {
    mode: 'form',
    message: context === null ? question : `${question}\n\n${context}`,
    requestedSchema: {
      type: 'object',
      properties: { ...(options.length > 0 && { choice }), ...(allowsText && { words }) },
      required: options.length === 0 ? ['words'] : allowsText ? [] : ['choice'],
    },
  }
}

interface Reply {
  readonly id: string
  readonly response: Readonly<Record<string, unknown>> | undefined
}

/** What comes back is the client's word: it may answer a question of this very agent, and only as that person could. */
async function takeAnswer(call: ToolCall, person: () => Promise<Postern>, { id, response }: Reply): Promise<Decision> {
  const { connection } = call
  const decision = await connection.postern.decisions.show({ id })
  if (decision.agent !== connection.agent) throw new PosternError('DECISION_NOT_FOUND', { id })
  // An answer to what nobody was asked here is nobody's.
  if (!connection.put.delete(id)) return decision
  const said = inputResponse(response, ANSWER)
  if (said.kind !== 'elicit' || said.action !== 'accept' || decision.state !== 'open') return decision
  const { choice, words } = said.content ?? {}
  const input = {
    ...(typeof choice === 'string' && choice !== '' && { select: choice }),
    ...(typeof words === 'string' && words !== '' && { text: words }),
  }
  if (Object.keys(input).length === 0) return decision
  return (await person()).decisions.respond({ id, ...input }).catch((error: unknown) => {
    // Somebody else was faster, or it is no answer: the question itself waits for one in every other way.
    if (error instanceof PosternError) return connection.postern.decisions.show({ id })
    throw error
  })
}
