import type { Identity } from '../model/network/tokens.ts'
import type { OperationName } from '../model/operations.ts'
import type { Postern } from '../model/postern.ts'
import { fillInOwn, requireAccess } from './access.ts'
import { isRequired, parseInput } from './input.ts'
import type { Operation } from './operation.ts'

type Input = Readonly<Record<string, unknown>>

/** A caller whose identity is known, and the Postern that is bound to it. */
export interface IdentifiedCaller {
  readonly identity: Pick<Identity, 'scope' | 'caller'>
  readonly postern: Postern
}

/**
 * Completes the input with the caller's own agent, checks it against the schema, and checks that the caller may send
 * it.
 */
export async function admit(
  operation: Operation,
  { identity, postern }: IdentifiedCaller,
  given: Input,
): Promise<Input> {
  const needsAgent = operation.access.to === 'own' && isRequired(operation, operation.access.field)
  const input = parseInput(operation, fillInOwn(operation, identity, given, needsAgent))
  const ownsSession = async (id: string) => {
    const sessions = await postern.sessions.list({ agent: identity.caller.id })
    return sessions.some((session) => session.id === id)
  }
  await requireAccess(operation, { identity, ownsSession }, input)
  return input
}

/** Calls an operation by its name. */
export function perform(postern: Postern, name: OperationName, input: Input): Promise<unknown> {
  const [noun = '', verb = ''] = name.split('.')
  const nouns = postern as unknown as Record<string, Record<string, (input: Input) => Promise<unknown>>>
  const method = nouns[noun]?.[verb]
  if (!method) throw new Error(`there is no operation ${name}`)
  return method(input)
}
