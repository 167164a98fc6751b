import { setTimeout as delay } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { ask, type ServeProcess, startServe } from '../helpers/http-server.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { verifies } from '../scenarios/requirements.ts'
import { cliCommand } from './harness/cli.ts'
import { deliveriesIn, withStore } from './harness/home.ts'
import { figures, isLong } from './harness/need.ts'
import { doctorFault } from './harness/soundness.ts'

const CYCLES = isLong ? 100 : 12
const WRITERS = 16
const LONGEST_LIFE_MS = 400

/** What writers have been promised, and what they have tried. */
interface Ledger {
  readonly acknowledged: string[]
  readonly tried: Set<string>
}

it('keeps every push that it acknowledged, and stores none twice, however often it is killed', async () => {
  verifies('G1.server-kill')
  const home = temporaryFolder()
  // One for each writer: together they would fill one inbox.
  await withStore(home, async ({ agents }) => {
    for (let writer = 0; writer < WRITERS; writer++) await agents.add({ id: `quinn-${writer}` })
  })
  const ledger: Ledger = { acknowledged: [], tried: new Set() }
  let unanswered: string[] = []
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const server = await startServe({ home, executable: cliCommand([]).at(-1) ?? '' })
    const load = Array.from({ length: WRITERS }, (_, writer) =>
      write(server, ledger, { to: `quinn-${writer}`, name: `${cycle}-${writer}`, again: unanswered[writer] }),
    )
    await delay(Math.random() * LONGEST_LIFE_MS)
    await server.stop('SIGKILL')
    unanswered = (await Promise.all(load)).flat()
  }
  const stored = (await deliveriesIn(home)).map(({ content }) => content)
  figures('server kill', `${CYCLES} kills, ${ledger.acknowledged.length} acknowledged, ${stored.length} stored`)
  expect(judge(ledger, stored)).toEqual({ lost: [], repeated: [], phantom: [] })
  expect(ledger.acknowledged.length).toBeGreaterThan(CYCLES)
  expect(await doctorFault(home)).toBeNull()
})

it('would find a push that went missing, came twice, or came from nowhere', () => {
  const ledger: Ledger = { acknowledged: ['a', 'b'], tried: new Set(['a', 'b', 'c']) }
  expect(judge(ledger, ['a', 'a', 'c', 'd'])).toEqual({ lost: ['b'], repeated: ['a'], phantom: ['d'] })
})

function judge({ acknowledged, tried }: Ledger, stored: readonly string[]) {
  const kept = new Set(stored)
  return {
    lost: acknowledged.filter((key) => !kept.has(key)),
    repeated: stored.filter((key, at) => stored.indexOf(key) !== at),
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
