import type { OperationName } from '../model/operations.ts'
import { admit, type IdentifiedCaller, perform } from '../operations/perform.ts'
import { declaredOperation } from '../operations/table.ts'

export interface Asked {
  readonly name: OperationName
  readonly input: Readonly<Record<string, unknown>>
  /** Ends a wait. */
  readonly signal?: AbortSignal
  /** The key under which a change is made once. */
  readonly key?: string | undefined
}

/** Asks for an operation as the agent of a connection, which may do here what it may do anywhere. */
export async function ask<T>(admitted: IdentifiedCaller, { name, input, signal, key }: Asked): Promise<T> {
  const operation = declaredOperation(name)
  const allowed = await admit(operation, admitted, input)
  const postern = key === undefined ? admitted.postern : admitted.postern.once(key)
  return (await perform(postern, name, operation.kind === 'waits' ? { ...allowed, signal } : allowed)) as T
}
