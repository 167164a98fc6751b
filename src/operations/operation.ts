import type { z } from 'zod'
import type { ErrorCode } from '../model/errors.ts'
import type { OperationName, OperationRow } from '../model/operations.ts'

/** What an operation accepts and returns, and how it fails. Everything else is in its row of `model/operations.ts`. */
export interface Declaration {
  readonly summary: string
  readonly input: z.ZodType
  readonly output: z.ZodType
  readonly errors: readonly ErrorCode[]
}

/** The declarations of all operations of a noun. A missing or unknown name does not compile. */
export type DeclarationsOf<Noun extends string> = {
  readonly [Name in OperationName as Name extends `${Noun}.${string}` ? Name : never]: Declaration
}

/** An operation: its row and its declaration. */
export interface Operation extends OperationRow, Declaration {
  readonly name: OperationName
}
