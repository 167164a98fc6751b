import { trustWord } from '../../model/caller.ts'
import type { Decision } from '../../model/decision.ts'
import { PosternError } from '../../model/errors.ts'
import type { Gate } from '../../model/gate.ts'
import { token } from '../../render/provenance.ts'
import { quoteDecision, quoteGate } from '../../render/quoted.ts'
import type { Connection } from '../connection.ts'
import { quote } from '../quote.ts'
import { counted, enumerated } from './sentences.ts'
import { type Handlers, operate, type ToolAnswer, type ToolCall, waitOf, withoutKey } from './tool-call.ts'

/** What each of these tools does, by its name. */
export const ASKING_HANDLERS: Handlers = {
  decision_create: async (call) => answerDecision(call.connection, await createDecision(call)),
  decision_get: getDecision,
  gate_list: listGates,
  gate_resolve: resolveGate,
}

const SECOND_MS = 1_000

export async function createDecision(call: ToolCall): Promise<Decision> {
  return operate<Decision>(call, 'decisions.create', withoutKey(call))
}

export async function answerDecision(connection: Pick<Connection, 'nonce'>, decision: Decision): Promise<ToolAnswer> {
  const { answer } = decision
  const told = answer && { ...answer, trust: trustWord(answer) }
  const quotation = await quote(connection, 'decision', [quoteDecision(decision)])
  const text = `${describeDecision(decision)}\n${quotation}`
  return { structured: { ...decision, answer: told, text }, text }
}

/** A wait that is over without an answer is an answer: the question is still open. */
async function getDecision(call: ToolCall): Promise<ToolAnswer> {
  const { id } = call.input as { readonly id: string }
  const seconds = waitOf(call.input)
  if (seconds > 0) {
    const asked = { id, timeoutMs: seconds * SECOND_MS }
    await operate(call, 'decisions.await', asked).catch((error: unknown) => {
      if (!(error instanceof PosternError && error.code === 'TIMED_OUT')) throw error
    })
  }
  return answerDecision(call.connection, await operate<Decision>(call, 'decisions.show', { id }))
}

function describeDecision({ id, state, asked, answer }: Decision): string {
  if (answer) {
    const by = `${token(answer.by)} (${trustWord(answer)})`
    return `${token(id)} is answered by ${by}: ${answer.selected === null ? 'in words' : token(answer.selected)}.`
  }
  return `${token(id)} is ${state}; asked: ${enumerated(asked.map(token), 'nobody')}.`
}

async function listGates(call: ToolCall): Promise<ToolAnswer> {
  const { connection } = call
  const gates = await operate<readonly Gate[]>(call, 'gates.list', { agent: connection.agent, ...call.input })
  const open = gates.filter(({ state }) => state === 'open').length
  const summary = open === 0 ? 'Nothing holds you.' : `${counted(open, 'gate')} open.`
  const entries = gates.map((gate) => quoteGate(gate))
  const text = gates.length === 0 ? summary : `${summary}\n${await quote(connection, 'gates', entries)}`
  return { structured: { text, gates: gates.map((gate) => ({ ...gate, trust: trustWord(gate.createdTrust) })) }, text }
}

async function resolveGate(call: ToolCall): Promise<ToolAnswer> {
  const gate = await operate<Gate>(call, 'gates.resolve', withoutKey(call))
  return { structured: gate, text: `${token(gate.id)} is ${gate.state}.` }
}
