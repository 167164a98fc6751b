import type { Identity } from '../model/network/tokens.ts'
import type { OperationName } from '../model/operations.ts'
import type { Postern } from '../model/postern.ts'
import { fillInOwn, requireAccess } from './access.ts'
import { isRequired, parseInput } from './input.ts'
import type { Operation } from './operation.ts'

type Input = Readonly<Record<string, unknown>>

/** Somebody who has said who they are, and the Postern that is bound to them. */
export interface Admitted {
  readonly identity: Pick<Identity, 'scope' | 'caller'>
  readonly postern: Postern
}

/** The input as it is handed to the heart: with what the connection knows, checked, and allowed to whoever asks. */
export async function admit(operation: Operation, { identity, postern }: Admitted, given: Input): Promise<Input> {
  const isNeeded = operation.access.to === 'own' && isRequired(operation, operation.access.field)
  const input = parseInput(operation, fillInOwn(operation, identity, given, isNeeded))
  const ownsSession = async (id: string) => {
    const sessions = await postern.sessions.list({ agent: identity.caller.id })
    return sessions.some((session) => session.id === id)
  }
  await requireAccess(operation, { identity, ownsSession }, input)
  return input
}

/** Asks for an operation by its name. */
export function perform(postern: Postern, name: OperationName, input: Input): Promise<unknown> {
  const [room = '', verb = ''] = name.split('.')
  const rooms = postern as unknown as Record<string, Record<string, (input: Input) => Promise<unknown>>>
  const method = rooms[room]?.[verb]
  if (!method) throw new Error(`there is no ${name}`)
  return method(input)
}
