import { type Hcs10, type Hcs10Message, parseHcs10 } from '../../../model/ledger/hcs10.ts'
import type { WholeMessage } from './assemble.ts'
import { takeRequest } from './handshake.ts'
import type { Intake, Understood } from './intake.ts'
import { takeMessage } from './message.ts'

/** What others write to one of our agents: messages of our own agents, and requests of outsiders. */
export async function takeInbound(intake: Intake, whole: WholeMessage): Promise<Understood> {
  const agent = intake.topic.agent
  const operation = parseHcs10(whole.text ?? '')
  if (agent === null || !operation) return 'foreign'
  if (operation.op === 'message') return messageOf(intake, whole, operation, agent)
  if (operation.op === 'connection_request') return requestOf(intake, whole, operation, agent)
  // That a connection was made is written by the agent itself.
  return operation.op === 'connection_created' ? undefined : 'foreign'
}

async function messageOf(
  intake: Intake,
  whole: WholeMessage,
  { operator_id, data }: Hcs10Message,
  agent: string,
): Promise<Understood> {
  const writer = await intake.senders.byOperator(operator_id, whole.payer)
  return takeMessage(intake, whole, writer, { agent, data, ref: null })
}

async function requestOf(
  intake: Intake,
  whole: WholeMessage,
  request: Extract<Hcs10, { readonly op: 'connection_request' }>,
  agent: string,
): Promise<Understood> {
  const writer = await intake.senders.byOperator(request.operator_id, whole.payer)
  // Among ourselves no connection is needed.
  if (writer.agent !== null) return 'own'
  if (writer.isTrue === false) return 'spoofed'
  return takeRequest(intake, whole, writer, { agent, remark: request.m ?? null })
}
