import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ask, type ServeProcess, startServe } from '../helpers/http-server.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { campaign } from '../helpers/tier.ts'
import { verifies } from '../scenarios/verifies.ts'
import { cliCommand } from './harness/cli.ts'
import { deliveriesIn, withStore } from './harness/home.ts'
import { figures } from './harness/need.ts'
import { storeFault } from './harness/soundness.ts'

const KILLS = { quick: 2, full: 12, long: 2_500, most: 25 }
const WRITERS = 16
const LONGEST_LIFE_MS = 400

/** What writers have been promised, and what they have tried. */
interface Ledger {
  readonly acknowledged: string[]
  readonly tried: Set<string>
}

campaign(
  'a server keeps every push that it acknowledged, and stores none twice, however often it is killed',
  KILLS,
  killServers,
)

async function killServers(kills: number): Promise<void> {
  verifies('G1.server-kill')
  const home = temporaryFolder()
  // One for each writer: together they would fill one inbox.
  await withStore(home, async ({ agents }) => {
    for (let writer = 0; writer < WRITERS; writer++) await agents.add({ id: `quinn-${writer}` })
  })
  const ledger: Ledger = { acknowledged: [], tried: new Set() }
  let unanswered: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    const server = await startServe({ home, executable: cliCommand([]).at(-1) ?? '' })
    const load = Array.from({ length: WRITERS }, (_, writer) =>
      write(server, ledger, { to: `quinn-${writer}`, name: `${kill}-${writer}`, again: unanswered[writer] }),
    )
    // Every other server has answered at least once before it is killed.
    const { length: before } = ledger.acknowledged
    while (kill % 2 === 0 && ledger.acknowledged.length === before) await delay(5)
    await delay(Math.random() * LONGEST_LIFE_MS)
    await server.stop('SIGKILL')
    unanswered = (await Promise.all(load)).flat()
  }
  const stored = (await deliveriesIn(home)).map(({ content }) => content)
  figures('server kill', `${kills} kills, ${ledger.acknowledged.length} acknowledged, ${stored.length} stored`)
  expect(judge(ledger, stored)).toEqual({ lost: [], repeated: [], phantom: [] })
  expect(ledger.acknowledged.length).toBeGreaterThanOrEqual(kills < KILLS.full ? kills / 2 : kills)
  expect(await storeFault(home)).toBeNull()
}

it('finds a push that went missing, came twice, or came from nowhere', () => {
  const ledger: Ledger = { acknowledged: ['a', 'b'], tried: new Set(['a', 'b', 'c']) }
  expect(judge(ledger, ['a', 'a', 'c', 'd'])).toEqual({ lost: ['b'], repeated: ['a'], phantom: ['d'] })
})

function judge({ acknowledged, tried }: Ledger, stored: readonly string[]) {
  const [kept, before] = [new Set(stored), new Set<string>()]
  return {
    lost: acknowledged.filter((key) => !kept.has(key)),
    repeated: stored.filter((key) => before.size === before.add(key).size),
    phantom: stored.filter((key) => !tried.has(key)),
  }
}

/** Pushes until the server is gone, beginning with what was not answered before. Returns what was not answered now. */
async function write(
  { url, token }: ServeProcess,
  ledger: Ledger,
  { to, name, again }: { readonly to: string; readonly name: string; readonly again: string | undefined },
): Promise<string> {
  for (let count = 0; ; count++) {
    const key = count === 0 && again !== undefined ? again : `${name}-${count}`
    ledger.tried.add(key)
    const headers = { 'idempotency-key': key }
    const body = { to: [to], content: key }
    const answer = await ask(url, 'POST /api/v1/inbox', { token, headers, body }).catch(() => undefined)
    if (!answer) return key
    expect(answer.status, answer.text).toBe(201)
    ledger.acknowledged.push(key)
  }
}
