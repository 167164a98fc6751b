import type { InputCondition } from '../model/access.ts'
import { isProgram } from '../model/caller.ts'
import { PosternError } from '../model/errors.ts'
import type { Identity } from '../model/network/tokens.ts'
import type { Operation } from './operation.ts'

type Input = Readonly<Record<string, unknown>>

/** The caller of an operation, as far as access depends on it. */
export interface Asker {
  readonly identity: Pick<Identity, 'scope' | 'caller'>
  /** Whether an open session belongs to the caller. */
  ownsSession(sessionId: string): Promise<boolean>
}

/**
 * Fills in the caller as the agent if the input names none. A program can only mean itself. A person means every agent,
 * unless the operation requires one.
 */
export function fillInOwn(
  { access }: Operation,
  { scope, caller }: Asker['identity'],
  input: Input,
  isRequired: boolean,
): Input {
  if (access.to !== 'own' || scope.kind === 'admin' || input[access.field] !== undefined) return input
  return isProgram(caller) || isRequired ? { ...input, [access.field]: caller.id } : input
}

/** Throws if the caller may not send this input. The core itself checks rules that depend on stored data. */
export async function requireAccess({ name, access }: Operation, asker: Asker, input: Input): Promise<void> {
  const { scope, caller } = asker.identity
  if (scope.kind === 'admin') return
  if (access.to === 'admin') throw refusal(`Only an administrator may use ${name}.`, 'Ask whoever runs the server.')
  if (access.needsAdmin && matches(access.needsAdmin, input)) {
    const message = 'This would run a command on the machine of the server, which only an administrator may.'
    throw refusal(message, 'Ask whoever runs the server, or leave the command out.')
  }
  if (!isProgram(caller)) return
  if (access.to === 'insiders' && caller.kind === 'service') {
    throw refusal(`Services may not use ${name}.`, 'Let an agent or a person do it.')
  }
  if (access.to === 'people') throw refusal(`Only people may use ${name}.`, 'Let a person do it.')
  if (access.needsPerson && matches(access.needsPerson, input)) {
    throw refusal('Only people may register agents.', 'Let a person do it, or name agents that are registered.')
  }
  if (access.to === 'own' && input[access.field] !== caller.id) {
    throw refusal(
      `${caller.id} may use ${name} only for itself.`,
      `Name ${caller.id} as the ${access.field}, or nobody.`,
    )
  }
  if (access.to === 'session' && !(await asker.ownsSession(String(input[access.field])))) {
    throw refusal(`That is not an open session of ${caller.id}.`, 'Name an open session of your own.')
  }
}

function matches({ field, is, inEach }: InputCondition, input: Input): boolean {
  const inputs = inEach === undefined ? [input] : (input[inEach] as readonly Input[])
  return inputs.some(({ [field]: value }) => (is === undefined ? value !== undefined : value === is))
}

function refusal(message: string, next: string): PosternError {
  return new PosternError('NOT_ALLOWED', { message, next })
}
