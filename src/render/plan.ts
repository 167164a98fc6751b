import type { Plan } from '../model/sources/plan.ts'
import { quoteLines } from './fence.ts'
import { BLOCK, LINE, neutralise, neutraliseTo } from './neutralise.ts'
import { formatTime, token } from './provenance.ts'

const NAME_CHARACTERS = 200

/** A plan: our own line with who wrote it and when it fires, then its words, quoted. */
export function renderPlan({ id, name, createdBy, instruction, nextRunAt }: Plan): string {
  const next = nextRunAt === null ? 'will not fire again' : `fires at ${formatTime(nextRunAt)}`
  return [
    // The store does not keep what proved the caller that set a plan.
    `├─ ${[token(id), `set by ${token(createdBy)} (unverified)`, next].join(' · ')}`,
    ...quoteLines(`name: ${neutraliseTo(NAME_CHARACTERS, name, LINE)}`),
    ...quoteLines(neutralise(instruction, BLOCK)),
  ].join('\n')
}
