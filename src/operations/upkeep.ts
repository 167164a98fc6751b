import { z } from 'zod'
import type { DeclarationsOf } from './operation.ts'

export const UPKEEP_OPERATIONS = {
  'upkeep.run': {
    summary: 'Do a bounded slice of what has to be done from time to time.',
    input: z.object({}),
    output: z.object({
      expired: z.number().int(),
      released: z.number().int(),
      reaped: z.number().int(),
      gates: z.number().int(),
      plans: z.number().int(),
    }),
    errors: [],
  },
  'upkeep.check': {
    summary: 'Check the store and what is in it, and say what to do.',
    input: z.object({}),
    output: z.object({
      ok: z.boolean(),
      checks: z.array(
        z.object({
          name: z.string(),
          ok: z.boolean(),
          level: z.enum(['error', 'warning', 'note']),
          detail: z.string(),
          next: z.string().optional(),
        }),
      ),
    }),
    errors: [],
  },
} satisfies DeclarationsOf<'upkeep'>
