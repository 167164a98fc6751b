import { PosternError } from '../../model/errors.ts'
import { parsePriority } from '../../model/priority.ts'
import { type Plan, parseMissedPolicy } from '../../model/sources/plan.ts'
import type { SetPlan } from '../../model/sources/plans.ts'
import { parseText } from '../../model/text.ts'
import type { Context } from '../context.ts'
import { isPlanId } from './find.ts'

const NAME_BYTES = 200

/** What is said of a plan, but for its time. What is absent stays as it is. */
export type PlanChange = Partial<Pick<Plan, 'name' | 'instruction' | 'priority' | 'missed'>> & {
  readonly gateId?: string
}

export function parsePlan(ctx: Context, input: SetPlan): PlanChange {
  const { name, instruction, priority, missed, gate } = input
  return {
    ...(name !== undefined && { name: parseName(name, input.id) }),
    ...(instruction !== undefined && { instruction: parseInstruction(ctx, instruction) }),
    ...(priority !== undefined && { priority: parsePriority(priority) }),
    ...(missed !== undefined && { missed: parseMissedPolicy(missed) }),
    ...(gate !== undefined && { gateId: gate }),
  }
}

/** One line that can be seen, and that cannot be mistaken for the id of another. */
function parseName(written: string, id: string | undefined): string {
  const name = parseText('plan name', written, NAME_BYTES).trim()
  if (name !== '' && (name === id || !isPlanId(name)) && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(name)) return name
  throw new PosternError('VALUE_INVALID', {
    field: 'plan name',
    value: name,
    next: 'Use one line of visible characters, such as "Daily report".',
  })
}

function parseInstruction(ctx: Context, written: string): string {
  const instruction = parseText('instruction', written, ctx.limits.contentBytes)
  if (instruction.trim() === '') throw new PosternError('CONTENT_EMPTY')
  return instruction
}
