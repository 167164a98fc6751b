import { describe, expect } from 'vitest'
import { figures } from '../faults/harness/need.ts'
import { describeVerdict } from '../helpers/history.ts'
import { campaign } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { STORES } from './harness/place.ts'
import { soak } from './harness/soak.ts'

const MESSAGES = { quick: 60, full: 120, long: 20_000, most: 500 }

describe.each(STORES)('on the store %s', (store) => {
  campaign(
    'shows every message once and in order through all doors, while readers and servers are killed',
    MESSAGES,
    async (messages) => {
      verifies('G1.kill', 'G4.crash')
      const verdict = await soak({ store, messages, serverKills: Math.ceil(messages / 60) })
      figures('mixed soak', `${store}: ${describeVerdict(verdict)}`)
      expect(verdict, describeVerdict(verdict)).toMatchObject({ isSound: true })
      expect(verdict.acknowledged).toBeGreaterThanOrEqual(messages)
    },
  )
})
