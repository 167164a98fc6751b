import type { Exception } from './not-applicable.ts'
import type { Carrier } from './scene.ts'
import type { Check, Revision } from './suite.ts'

export interface Run {
  readonly carrier: Carrier
  readonly revision: Revision
  readonly checked: ReadonlyMap<string, readonly Check[]>
}

export interface Verdict {
  readonly passed: readonly string[]
  readonly listed: readonly string[]
  /** What is wrong, in sentences: what fails although nobody has said so, and what is listed but passes. */
  readonly faults: readonly string[]
}

/** Whether every message was one of the protocol: that is excused nowhere. */
const WIRE = 'wire-schema'
const NOTHING = 'nothing was checked'

/** Holds what the suite has found against the list of what says nothing of us. */
export function judge({ carrier, revision, checked }: Run, exceptions: readonly Exception[]): Verdict {
  const here = exceptions.filter(
    (each) => (each.carrier ?? carrier) === carrier && (each.revision ?? revision) === revision,
  )
  const faults: string[] = []
  const passed: string[] = []
  const listed: string[] = []
  for (const [scenario, checks] of checked) {
    const excused = here.filter((each) => each.scenario === scenario)
    const troubles = troublesOf(checks)
    faults.push(...unexcused(scenario, troubles, excused), ...stale(scenario, troubles, excused))
    if (troubles.size === 0) passed.push(scenario)
    else listed.push(scenario)
  }
  return { passed, listed, faults: [...faults, ...unheard(here, checked)] }
}

/** A scenario that has looked at nothing has not passed. */
function troublesOf(checks: readonly Check[]): ReadonlyMap<string, string> {
  const troubles = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING')
  const hasLooked = checks.some(({ id, status }) => status === 'SUCCESS' && !id.startsWith(WIRE))
  if (troubles.length === 0 && !hasLooked) return new Map([[NOTHING, NOTHING]])
  return new Map(troubles.map(({ id, status, errorMessage }) => [id, errorMessage ?? status]))
}

function unexcused(scenario: string, troubles: ReadonlyMap<string, string>, excused: readonly Exception[]): string[] {
  return [...troubles]
    .filter(([id]) => id.startsWith(WIRE) || !excused.some(({ checks }) => checks?.includes(id) ?? true))
    .map(([id, why]) => `${scenario} · ${id} fails and is not listed: ${why}`)
}

function stale(scenario: string, troubles: ReadonlyMap<string, string>, excused: readonly Exception[]): string[] {
  const passing = excused.flatMap(({ checks }) =>
    checks ? checks.filter((id) => !troubles.has(id)) : troubles.size === 0 ? ['all of it'] : [],
  )
  return passing.map((what) => `${scenario} · ${what} is listed as not applicable and passes: take it off the list`)
}

function unheard(here: readonly Exception[], checked: Run['checked']): string[] {
  return here
    .filter(({ scenario }) => !checked.has(scenario))
    .map(({ scenario }) => `${scenario} is listed and the suite has no such scenario`)
}
