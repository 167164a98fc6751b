import { z } from 'zod'
import { MISSED_POLICIES } from '../model/sources/plan.ts'
import { AGENT_ID_ERRORS, TEXT_ERRORS } from './errors.ts'
import type { DeclarationsOf } from './operation.ts'
import { agentId, deliveryState, messageId, milliseconds, priority } from './schemas.ts'

const planId = z.string().min(1).max(200).describe('A plan, by its id; or by its name, of one agent.')
const cron = z.string().describe('Five fields: minute, hour, day of month, month, day of week.')
const zone = z.string().describe('The IANA zone in which the cron expression is read, such as Europe/Berlin.')
const missed = z
  .enum(MISSED_POLICIES)
  .describe('What fires of instants at which nobody could fire: the latest of them, none, or each.')
const revision = z.number().int().describe('The revision that was seen; the change is refused where it is another.')
const moment = milliseconds.nullable()

const plan = z.object({
  id: planId,
  agent: agentId,
  name: z.string(),
  instruction: z.string(),
  priority,
  cron: cron.nullable(),
  zone,
  missed,
  gateId: z.string().nullable(),
  nextRunAt: moment,
  pausedAt: moment,
  lastRunAt: moment,
  runs: z.number().int(),
  createdBy: z.string(),
  createdAt: milliseconds,
  updatedAt: milliseconds,
  revision: z.number().int(),
  upcomingAt: z.array(milliseconds),
  lastFired: z
    .object({ messageId, at: milliseconds, state: deliveryState })
    .nullable()
    .describe('What it fired last, and how far that has come.'),
})

const planRef = z.object({ id: planId, agent: agentId.optional() })
const changePlan = planRef.extend({ revision: revision.optional() })

const REF_ERRORS = [...AGENT_ID_ERRORS, 'PLAN_NOT_FOUND', 'NOT_ALLOWED', 'USAGE'] as const
const CHANGE_ERRORS = [...REF_ERRORS, 'PLAN_CHANGED'] as const

export const PLAN_OPERATIONS = {
  'plans.set': {
    summary: 'Make plans or change them, by id or by agent and name: all of them or none.',
    input: z.object({
      plans: z.array(
        z.object({
          id: planId.optional(),
          agent: agentId.optional(),
          name: z.string().optional(),
          instruction: z.string().optional(),
          runAfter: z.string().optional().describe('A duration, such as 5 hours.'),
          scheduledAt: z.string().optional().describe('ISO 8601 with a zone, such as 2026-02-20T10:00:00Z.'),
          cron: cron.optional(),
          zone: zone.optional(),
          missed: missed.optional(),
          gate: z.string().optional().describe('A gate that must not be open any more.'),
          priority: priority.optional(),
          revision: revision.optional(),
        }),
      ),
    }),
    output: z.array(plan),
    errors: [
      ...CHANGE_ERRORS,
      ...TEXT_ERRORS,
      'AGENT_NOT_FOUND',
      'CONTENT_EMPTY',
      'CRON_INVALID',
      'DURATION_INVALID',
      'GATE_NOT_FOUND',
      'PLAN_TIME_INVALID',
      'PRIORITY_INVALID',
      'VALUE_INVALID',
      'ZONE_UNKNOWN',
    ],
  },
  'plans.list': {
    summary: 'List plans, soonest first.',
    input: z.object({ agent: agentId.optional(), all: z.boolean().optional() }),
    output: z.array(plan),
    errors: [...AGENT_ID_ERRORS, 'NOT_ALLOWED'],
  },
  'plans.show': {
    summary: 'Show a plan and when it fires next.',
    input: planRef,
    output: plan,
    errors: REF_ERRORS,
  },
  'plans.delete': {
    summary: 'Delete plans: all of them or none.',
    input: z.object({ ids: z.array(planId), agent: agentId.optional() }),
    output: z.object({ deleted: z.array(planId) }),
    errors: [...REF_ERRORS, 'VALUE_INVALID'],
  },
  'plans.pause': {
    summary: 'Let a plan rest: what would come meanwhile never fires.',
    input: changePlan,
    output: plan,
    errors: CHANGE_ERRORS,
  },
  'plans.resume': {
    summary: 'Let a plan go on that was paused.',
    input: changePlan,
    output: plan,
    errors: CHANGE_ERRORS,
  },
  'plans.run': {
    summary: 'Fire a plan now; its own instants stay as they are.',
    input: changePlan,
    output: z.object({ plan, messageId }),
    errors: [...CHANGE_ERRORS, 'AGENT_NOT_FOUND', 'INBOX_FULL', 'RATE_LIMITED'],
  },
} satisfies DeclarationsOf<'plans'>
