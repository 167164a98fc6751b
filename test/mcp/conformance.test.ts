import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FULL } from '../helpers/tier.ts'
import { NOT_APPLICABLE } from './not-applicable.ts'
import { NEEDS_OFFICIAL } from './official.ts'
import { type Carrier, openScene, type Scene } from './scene.ts'
import { startStdioBridge } from './stdio-bridge.ts'
import { type Check, type Revision, runSuite } from './suite.ts'
import { type Bridge, startTokenProxy } from './token-proxy.ts'
import { judge } from './verdict.ts'

/** Each revision once in `npm test`, and stdio in the full tier: there every scenario starts a process of its own. */
const RUNS = [
  { carrier: 'http', revision: '2026-07-28', tier: {} },
  { carrier: 'http', revision: '2025-11-25', tier: {} },
  { carrier: 'stdio', revision: '2025-11-25', tier: FULL },
  { carrier: 'stdio', revision: '2026-07-28', tier: FULL },
] as const

describe('the official conformance suite', NEEDS_OFFICIAL, () => {
  let scene: Scene

  beforeAll(async () => {
    scene = await openScene()
    await scene.postern.bus.post({ project_id: 'shop-123', type: 'FACT', body: 'It is open.' })
  })

  afterAll(() => scene?.close())

  const openWay = (carrier: Carrier, revision: Revision): Promise<Bridge> =>
    carrier === 'http'
      ? startTokenProxy(scene.url, scene.token)
      : startStdioBridge({ revision, args: scene.stdio('--person', 'justin'), env: scene.env, cwd: scene.project })

  for (const { carrier, revision, tier } of RUNS) {
    test(`finds nothing wrong over ${carrier} in ${revision} that is not listed`, tier, async () => {
      const bridge = await openWay(carrier, revision)
      try {
        const { passed, listed, faults } = judge(
          { carrier, revision, checked: await runSuite(bridge.url, revision) },
          NOT_APPLICABLE,
        )
        console.log(`mcp · conformance ${carrier} ${revision}: ${passed.length} pass, ${listed.length} are listed`)
        expect(faults).toEqual([])
      } finally {
        bridge.close()
      }
    })
  }
})

describe('the list of what does not apply', () => {
  const check = (id: string, status: Check['status']): Check => ({ id, status })
  const judged = (checks: readonly Check[], checksListed?: readonly string[]) =>
    judge({ carrier: 'http', revision: '2026-07-28', checked: new Map([['ping', checks]]) }, [
      { scenario: 'ping', reason: 'none', ...(checksListed && { checks: checksListed }) },
    ]).faults

  test('excuses what it names', () => {
    expect(judged([check('a', 'FAILURE')])).toEqual([])
    expect(judged([check('a', 'FAILURE'), check('b', 'SUCCESS')], ['a'])).toEqual([])
  })

  test('excuses no other check of a scenario of which it names one', () => {
    expect(judged([check('a', 'FAILURE'), check('b', 'WARNING')], ['a'])).toEqual([
      'ping · b fails and is not listed: WARNING',
    ])
  })

  test('never excuses a message that is none of the protocol', () => {
    expect(judged([check('a', 'FAILURE'), check('wire-schema-valid', 'FAILURE')])).toHaveLength(1)
  })

  test('holds nothing that passes, and nothing that the suite does not have', () => {
    expect(judged([check('a', 'SUCCESS')])).toHaveLength(1)
    expect(judged([check('a', 'SUCCESS')], ['a'])).toHaveLength(1)
    const run = { carrier: 'http', revision: '2026-07-28', checked: new Map() } as const
    expect(judge(run, [{ scenario: 'gone', reason: 'none' }]).faults).toHaveLength(1)
  })

  test('does not take for passed what has looked at nothing', () => {
    const run = { carrier: 'http', revision: '2026-07-28', checked: new Map([['ping', [check('a', 'INFO')]]]) } as const
    expect(judge(run, []).faults).toEqual(['ping · nothing was checked fails and is not listed: nothing was checked'])
  })
})
