import { z } from 'zod'
import { METRIC_WINDOWS } from '../model/metrics.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, milliseconds } from './schemas.ts'

const counts = z.array(z.number().int())
const times = z.array(milliseconds.nullable())
const percentiles = z.object({ p50: times, p95: times })

export const METRIC_OPERATIONS = {
  'metrics.series': {
    summary: 'Tell what has happened over the last hour, day or week, in steps for plots.',
    input: z.object({ window: z.enum(METRIC_WINDOWS).optional() }),
    output: z.object({
      window: z.enum(METRIC_WINDOWS),
      stepMs: milliseconds,
      at: z.array(milliseconds).describe('When each step begins; every other list has a value for each.'),
      pushed: counts.describe('Messages that were pushed.'),
      pending: z.array(counts).describe('Stored and not seen at the end of each step, by priority from 0 to 4.'),
      oldestMs: times.describe('How long the oldest of them had waited then.'),
      seenMs: percentiles.describe('From the push to being seen.'),
      hookMs: percentiles.describe('From an offer to a session until its text was printed whole.'),
      redelivered: counts.describe('Messages whose offer was given back or lapsed.'),
      tokens: z
        .array(z.object({ agent: agentId, shown: counts }))
        .describe('About how many tokens each agent was shown; those with the most first.'),
      isPartial: z.boolean().describe('More has happened than was looked at: what came first is missing.'),
    }),
    errors: ['VALUE_INVALID'],
  },
} satisfies DeclarationsOf<'metrics'>
