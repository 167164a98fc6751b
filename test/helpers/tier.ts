import { type TestOptions, test } from 'vitest'

/**
 * Tiers are `npm test`, `npm run test:full` and `npm run test:long`. A test without a tag runs in `npm test`. The tags `full`
 * and `long` move it to another tier. The tag `campaign` is for tests that repeat something: they run in every tier, each
 * time with more repetitions.
 */
export type Tier = 'quick' | 'full' | 'long'

/** How often a campaign repeats in each tier: a representative, what CI runs, and an hour at most. */
export interface CampaignSizes extends Readonly<Record<Tier, number>> {
  /** Splits a larger campaign into runs of this size, each of which closes what it has opened. */
  readonly most?: number
}

/** The tier that runs now. `scripts/test.ts` sets it. */
export const TIER: Tier = parseTier(process.env['POSTERN_TIER'])

function parseTier(given = 'quick'): Tier {
  if (given === 'quick' || given === 'full' || given === 'long') return given
  throw new Error(`POSTERN_TIER is "${given}"; it may be quick, full or long`)
}

/** For a test that runs in `npm run test:full` only. */
export const FULL: TestOptions = { tags: ['full'] }

/**
 * States a rule that holds however often its test repeats.
 *
 *   campaign('keeps every message through random kills', { quick: 20, full: 200, long: 1_000 }, async (kills) => …)
 */
export function campaign(name: string, sizes: CampaignSizes, run: (size: number) => Promise<void>): void {
  const { [TIER]: size, most = size } = sizes
  const runs = Math.ceil(size / most)
  let next = 0
  test(name, { tags: ['campaign'], timeout: TIMEOUT_MS[TIER], repeats: runs - 1 }, async () => {
    const at = next
    // After a run that fails, the remaining repeats do nothing.
    next = runs
    if (at < runs) await run(Math.min(most, size - at * most))
    next = at + 1
  })
}

/** Limits that only a dead machine reaches. */
const TIMEOUT_MS: Readonly<Record<Tier, number>> = { quick: 300_000, full: 900_000, long: 3_600_000 }
