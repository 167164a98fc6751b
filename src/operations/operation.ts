import type { z } from 'zod'
import type { ErrorCode } from '../model/errors.ts'

/**
 * One thing that Postern does, declared once. Its name is the path of the method on `Postern`; its faces are where
 * the doors offer it. A test checks both ways: no face without an operation, no operation without its faces.
 */
export interface Operation {
  readonly name: string
  readonly summary: string
  readonly input: z.ZodType
  readonly output: z.ZodType
  readonly errors: readonly ErrorCode[]
  readonly faces: Faces
}

export interface Faces {
  /** The command, such as `inbox push`; absent where only programs need it. */
  readonly cli?: string
}

export function operation(declared: Operation): Operation {
  return declared
}
