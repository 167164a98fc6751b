import { rmSync, truncateSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, inject, it } from 'vitest'
import type { HostName } from '../../src/hooks/hosts/hosts.ts'
import { needsPostgres } from '../helpers/needs.ts'
import { type CampaignSizes, campaign, FULL } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { needsMounts } from './harness/disk.ts'
import type { Firing } from './harness/hook.ts'
import { inTurn } from './harness/in-turn.ts'
import { figures } from './harness/need.ts'
import {
  type Cell,
  cellsOf,
  createPlaces,
  describeCell,
  findSilence,
  findSilenceInCrowd,
  IN_TIME_MS,
  type Trouble,
} from './harness/silence.ts'
import { needsTrace } from './harness/strace.ts'
import {
  brokenConfig,
  damagedStore,
  fullDisk,
  gonePostgres,
  hostileHandoff,
  hostileMail,
  killedInSync,
  killedServer,
  lockedFor,
  lockedStore,
  lockedWhole,
  lostAfterGate,
  manyGates,
  manySessions,
  readOnlyHome,
  slowDisk,
} from './harness/troubles.ts'

const AT_ONCE = 2
/** A busy machine takes no longer to start a hook. */
const LONGEST_START_MS = 5_500
const NO_FALLBACK = fileURLToPath(new URL('./harness/no-fallback.cjs', import.meta.url))

hunt('hostile mail, locks, crowds or damage', 'claude-code', { quick: 3, full: 34, long: 850, most: 170 }, [
  hostileMail('\ufdfa'),
  lockedStore,
  lostAfterGate(damagedStore('a store that was removed', (path) => rmSync(path))),
  manyGates,
  manySessions,
  hostileMail('<a'),
  hostileMail('\u0301'),
  lockedWhole,
  killedServer,
  damagedStore('a store that was removed', (path) => rmSync(path)),
  damagedStore('a store of zero bytes', (path) => truncateSync(path)),
  brokenConfig('{ "limits": '),
  brokenConfig('{ "gates": { "Not A Name": "strict" } }'),
  brokenConfig('{ "store": "gopher://x" }'),
  hostileMail('\u202e'),
  hostileMail('\ufdfa<s'),
  hostileMail('\u{1d538}'),
])

hunt('an expensive handoff', 'cursor', { quick: 1, full: 10, long: 60 }, [hostileHandoff])

describe('with a disk that can be slowed', needsTrace(), () => {
  hunt('a slow disk, or a host that ends the hook', 'gemini', { quick: 2, full: 20, long: 120 }, [
    killedInSync,
    slowDisk,
  ])
})

describe('with disks of its own', needsMounts(), () => {
  hunt('a read-only home or a full disk', 'cursor', { quick: 1, full: 10, long: 60 }, [readOnlyHome, fullDisk])
})

describe('with a PostgreSQL', needsPostgres(inject('postgresUrl')), () => {
  hunt('a lost PostgreSQL', 'generic', { quick: 1, full: 10, long: 60 }, [gonePostgres('refuse'), gonePostgres('mute')])
})

campaign(
  'a strict gate holds every session of its agent, though they stop at the same moment',
  { quick: 5, full: 40, long: 200, most: 40 },
  async (sessions) => {
    verifies('G8.silence')
    expect(await findSilenceInCrowd(sessions)).toEqual([])
  },
)

describe('the hunt for gates that pass in silence', () => {
  it('has every trouble with every host and both gates', () => {
    const cells = cellsOf([manyGates, lockedStore], 'cursor').map(describeCell)
    expect(new Set(cells).size).toBe(20)
    expect(cells.slice(0, 2)).toEqual([
      'cursor, stop gate, 10000 gates',
      expect.stringMatching(/^generic, tool gate, /),
    ])
  })

  it('finds a hook without a deadline', FULL, async () => {
    const faults = await findPlanted(lockedFor(IN_TIME_MS + LONGEST_START_MS), { hasDeadline: false })
    expect(faults).toEqual([expect.stringMatching(/hook 1 was late: \d+ ms/)])
  })

  it('finds a hook that says nothing when its store fails', async () => {
    const faults = await findPlanted(brokenConfig('{'), { node: ['--require', NO_FALLBACK] })
    expect(faults).toEqual([
      expect.stringContaining('the first answer does not hold'),
      expect.stringContaining('no pass is recorded'),
      expect.stringContaining('no person is told of a pass'),
    ])
  })
})

function hunt(what: string, firstHost: HostName, sizes: CampaignSizes, troubles: readonly Trouble[]): void {
  const all = cellsOf(troubles, firstHost)
  let next = 0
  campaign(`no strict gate of any host passes in silence in spite of ${what}`, sizes, async (count) => {
    verifies('G8.silence')
    const cells = Array.from({ length: count }, () => all[next++ % all.length] as Cell)
    const placeFor = createPlaces()
    const faults = await inTurn(cells, AT_ONCE, async (cell) => findSilence(cell, await placeFor(cell.trouble)))
    figures('gate silence', `${what}: ${count} gates, ${faults.flat().length} faults`)
    expect(faults.flat()).toEqual([])
  })
}

async function findPlanted(trouble: Trouble, planted: Firing): Promise<readonly string[]> {
  return findSilence({ host: 'claude-code', hook: 'tool', trouble }, await createPlaces()(trouble), planted)
}
