import type { CampaignSizes } from './tier.ts'

/** Cases of a property: a fifth in `npm test`, all in `npm run test:full`, and 200 times as many in the long tier. */
export function casesOf(full: number): CampaignSizes {
  return { quick: Math.ceil(full / 5), full, long: 200 * full, most: 10 * full }
}
