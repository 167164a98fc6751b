import { describe, expect, it } from 'vitest'
import { type Claim, readClaims } from './claims.ts'
import { PROOF_FOLDERS, type ProofFolder, REQUIREMENTS, type Requirement } from './requirements.ts'

const claims = readClaims()

describe('requirements', () => {
  it('have a proof each', () => {
    expect(unproven(REQUIREMENTS, claims)).toEqual([])
  })

  it('are known wherever a test claims to prove one', () => {
    expect(unknown(REQUIREMENTS, claims)).toEqual([])
  })

  it('are missed by the check where the folder that should prove them does not', () => {
    const requirement = (provenIn: ProofFolder): Requirement => ({ text: 'A promise.', builtIn: 'spine', provenIn })
    const asked = { one: requirement('faults'), two: requirement('faults'), other: requirement('render') }
    const claim: Claim = { id: 'one', folder: 'faults', file: 'kill.test.ts' }
    expect(unproven(asked, [claim, { ...claim, id: 'other' }])).toEqual([
      'two has no proof in test/faults',
      'other has no proof in src/render',
    ])
    expect(unproven(asked, [])).toHaveLength(3)
    expect(unknown(asked, [{ ...claim, id: 'three' }])).toEqual(['kill.test.ts claims "three"'])
  })
})

function unproven(asked: Readonly<Record<string, Requirement>>, made: readonly Claim[]): string[] {
  return Object.entries(asked)
    .filter(([id, { provenIn }]) => !made.some((claim) => claim.id === id && claim.folder === provenIn))
    .map(([id, { provenIn }]) => `${id} has no proof in ${PROOF_FOLDERS[provenIn]}`)
}

function unknown(asked: Readonly<Record<string, Requirement>>, made: readonly Claim[]): string[] {
  return made.filter(({ id }) => !(id in asked)).map(({ id, file }) => `${file} claims "${id}"`)
}
