import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ACCESS_ROWS, type AccessRow, verdictOf, withAccessTable } from '../../../scripts/access-table.ts'
import { OPERATIONS } from '../../../src/model/operations.ts'
import { perform } from '../../../src/operations/perform.ts'
import { type CallAs, faultsIn, inProcess, LOCAL_PARTS, NAMED, overHttp, PARTS } from '../../helpers/access/faults.ts'
import { INPUTS } from '../../helpers/access/inputs.ts'
import { type AccessWorld, openWorld } from '../../helpers/access/world.ts'
import { ask } from '../../helpers/http-server.ts'
import { DEAD_MACHINE_MS } from '../../helpers/patience.ts'
import { FULL } from '../../helpers/tier.ts'
import { verifies } from '../verifies.ts'

const PAGE = new URL('../../../SECURITY.md', import.meta.url)
/** An outside system proves itself in the request, so its route is asked apart. */
const ROWS = ACCESS_ROWS.filter(({ name }) => OPERATIONS[name].access.to !== 'proven')
const LONG = { timeout: 10 * DEAD_MACHINE_MS }

/** What such a process can read it can also read in the store. It sets itself up on the ledger, and nobody else. */
function isLeftToPeople(row: AccessRow): boolean {
  return (
    row.name === 'ledger.setup' || (OPERATIONS[row.name].access.to === 'people' && verdictOf(row, 'named') === 'no')
  )
}

async function faultsOf(world: AccessWorld, call: CallAs, parts = PARTS): Promise<string[]> {
  const faults: string[] = []
  for (const row of ROWS) for (const part of parts) faults.push(...(await faultsIn(world, call, row, part)))
  return faults
}

describe('the table of access in SECURITY.md', () => {
  it('is made from the declarations of the operations', () => {
    const page = readFileSync(PAGE, 'utf8')
    expect(withAccessTable(page), 'run "node scripts/access-table.ts"').toBe(page)
  })

  it('holds for callers that a door has identified', LONG, async () => {
    verifies('G16.table')
    const world = await openWorld()
    expect(await faultsOf(world, inProcess(world))).toEqual([])
  })

  it('holds for callers of this machine, named or not', LONG, async () => {
    verifies('G16.table')
    const world = await openWorld()
    expect(await faultsOf(world, inProcess(world), LOCAL_PARTS)).toEqual([])
  })

  it('leaves to people what it says where a program of this machine names itself', LONG, async () => {
    verifies('G16.table', 'G15.no-posing')
    const world = await openWorld()
    const quinn = { column: 'other', caller: NAMED, scope: '', owner: 'mindy' } as const
    const { postern } = world.server.served
    const call: CallAs = (_part, name, input) => perform(postern.as(NAMED), name, input)
    const faults: string[] = []
    for (const row of ROWS) if (isLeftToPeople(row)) faults.push(...(await faultsIn(world, call, row, quinn)))
    expect(faults).toEqual([])
  })

  it('holds over HTTP', { ...LONG, ...FULL }, async () => {
    verifies('G16.table')
    const world = await openWorld()
    expect(await faultsOf(world, await overHttp(world))).toEqual([])
  })

  it('holds for callers without a credential', LONG, async () => {
    verifies('G16.table')
    const { server, ...world } = await openWorld()
    for (const { name } of ROWS) {
      const input = await INPUTS[name]({ server, ...world }, 'quinn')
      const [method = '', path = ''] = (OPERATIONS[name].http[0] as string).split(' ')
      const filled = path.replace(/:(\w+)/g, (_, field) => encodeURIComponent(String(input[field])))
      const body = method === 'GET' || method === 'DELETE' ? {} : { body: input }
      const answer = await ask(server.url, `${method} ${filled}`, { token: null, ...body })
      expect(verdictOf({ name }, 'nobody')).toBe('no')
      expect([name, answer.status, answer.text.includes(world.lastMark())]).toEqual([name, 401, false])
    }
  })

  it('finds a door that lets everybody in', LONG, async () => {
    const world = await openWorld()
    const faults = await faultsOf(
      world,
      inProcess(world, async (_operation, _asker, input) => input),
    )
    expect(faults).toContainEqual(expect.stringContaining('inbox.list by mindy: the table says no, the answer is yes'))
    expect(faults).toContainEqual(expect.stringContaining('inbox.drain by mindy: it tells what it must not'))
  })
})
