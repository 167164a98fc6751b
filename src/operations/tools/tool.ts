import { z } from 'zod'
import type { OperationName } from '../../model/operations.ts'

/**
 * Something that an agent may do through MCP. Models pay for every word of it at the start of every session, so a tool
 * takes only those fields of its operation that an agent needs, and answers with as little.
 */
export interface Tool {
  readonly name: string
  readonly title: string
  /** Says when to use it. */
  readonly description: string
  /** What it does: the operations behind it. Its input consists of fields of the first, but for `ADDED_FIELDS`. */
  readonly operations: readonly [OperationName, ...OperationName[]]
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly hints: Hints
  /** Hosts that hold tools back until they are searched for should not hold back this one. */
  readonly isAlwaysThere?: true
  /** The field of the input under whose value a change is made once. */
  readonly keyField?: 'dedupKey' | 'dedup_key'
}

/** As MCP has them. All four are always said, because what is not said is assumed to be the worst. */
export interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  readonly openWorldHint: boolean
}

/** Fields of tools that no operation has: how long to wait, and the key of a change. */
export const ADDED_FIELDS: readonly string[] = ['waitSeconds', 'dedupKey', 'dedup_key']

/** It only looks. */
export const LOOKS: Hints = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
}

/** It makes something, and without a key it makes another when it is called again. */
export const ADDS: Hints = { ...LOOKS, readOnlyHint: false, idempotentHint: false }

/** It changes something, and changes no more when it is called again. */
export const SETS: Hints = { ...ADDS, idempotentHint: true }

/** Hosts give a call up after two minutes, and those behind a proxy earlier. */
export const MAX_WAIT_SECONDS = 110

export const waitSeconds = z.number().int().min(0).max(MAX_WAIT_SECONDS)
export const dedupKey = z.string().describe('Same key: done once.')
export const text = z.string().describe('Lines with │ are quotations.')
export const whole = z.number().int()
export const list = z.array(z.string())
