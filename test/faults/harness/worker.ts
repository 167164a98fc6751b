import { appendFileSync, closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { PosternError } from '../../../src/model/errors.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { Connection } from '../../../src/store/sqlite/connection.ts'
import type { HistoryEvent } from '../../helpers/history.ts'
import { openLocal } from '../../helpers/open-local.ts'

/**
 * A process that uses one store until it is killed, and writes down what it did: run by Node itself, not by vitest.
 * `ready` on its stdout says that it has the store open.
 */
const { values } = parseArgs({
  options: {
    role: { type: 'string' },
    store: { type: 'string' },
    log: { type: 'string' },
    by: { type: 'string' },
    /** A bug to put in: `confirm-before-print` or `synchronous-normal`. */
    plant: { type: 'string' },
    leaseMs: { type: 'string', default: '30000' },
    /** How long a drainer's output takes, at most. */
    printMs: { type: 'string', default: '0' },
    paceMs: { type: 'string', default: '0' },
  },
})
const { role = '', store = '', log = '', by = '', plant } = values

type Unsigned = HistoryEvent extends infer E ? (E extends { by: string } ? Omit<E, 'by'> : never) : never

const descriptor = openSync(log, 'a')

function record(events: readonly Unsigned[]): void {
  writeSync(descriptor, events.map((event) => `${JSON.stringify({ ...event, by })}\n`).join(''))
}

const ROLES: Readonly<Record<string, (postern: Postern) => Promise<void>>> = { writer, drainer, acker, opener }

if (plant === 'synchronous-normal') plantNormal()
const postern = await openLocal(store, {
  upkeep: role === 'opener',
  limits: { unprintedOfferMs: Number(values.leaseMs), pendingPerAgent: 1_000_000 },
})
process.stdout.write('ready\n')
process.on('SIGTERM', () => {
  stopping = true
})
let stopping = false
await ROLES[role]?.(postern)
await postern.close()
closeSync(descriptor)

/** Every fifth message has a second recipient, who never drains: conservation is counted over both. */
async function writer({ inbox }: Postern): Promise<void> {
  for (let number = 1; !stopping; number++) {
    const key = `${by}:${number}`
    record([{ kind: 'attempted', key }])
    await inbox.push({ to: number % 5 === 0 ? ['quinn', 'robin'] : ['quinn'], content: key })
    record([{ kind: 'acknowledged', key }])
    // After the answer: what stands in the record was promised before the machine went down.
    fsyncSync(descriptor)
    await pause(Number(values.paceMs))
  }
}

async function drainer({ inbox }: Postern): Promise<void> {
  while (!stopping) {
    const { offer, messages } = await inbox.drain({ agent: 'quinn', via: 'worker' })
    if (!offer) {
      await inbox.wait({ agent: 'quinn', timeoutMs: 50 })
      continue
    }
    const keys = messages.map(({ content }) => content)
    const print = async () => {
      await pause(Number(values.printMs))
      record(messages.map(({ content, attempt }) => ({ kind: 'shown', key: content, attempt })))
    }
    const confirm = async () => {
      const kind = await confirmed(() => inbox.confirm({ offerId: offer.id, printed: true, evidence: 'worker' }))
      record(keys.map((key) => ({ kind, key })))
    }
    for (const step of plant === 'confirm-before-print' ? [confirm, print] : [print, confirm]) await step()
  }
}

async function confirmed(confirm: () => Promise<unknown>): Promise<'confirmed' | 'refused'> {
  try {
    await confirm()
    return 'confirmed'
  } catch (error) {
    if (error instanceof PosternError && error.code === 'OFFER_NOT_FOUND') return 'refused'
    throw error
  }
}

/** Says of whatever was seen that it has been dealt with, page by page. */
async function acker({ inbox }: Postern): Promise<void> {
  for (let after: string | null = null; !stopping; ) {
    const page = await inbox.list({ agent: 'quinn', which: 'delivered', limit: 100, ...(after !== null && { after }) })
    const ids = page.items.filter(({ state }) => state === 'seen').map(({ id }) => id)
    if (ids.length > 0) await inbox.ack({ agent: 'quinn', ids })
    after = page.next
    await pause(5)
  }
}

/** A server's life in small: has the store open for long, does upkeep, looks and waits. */
async function opener({ inbox, upkeep }: Postern): Promise<void> {
  while (!stopping) {
    await upkeep.run().catch(passOverBusy)
    await inbox.list({ agent: 'quinn', limit: 10 })
    await inbox.wait({ agent: 'robin', timeoutMs: 20 })
    await pause(5)
  }
}

/** Upkeep waits for the lock only for a moment: what is due stays due for the next run. */
function passOverBusy(error: unknown): void {
  if (!(error instanceof PosternError && error.code === 'STORE_BUSY')) throw error
}

async function pause(maxMs: number): Promise<void> {
  if (maxMs > 0) await delay(Math.random() * maxMs)
}

/** Weakens every connection as its last setting is made, after FULL was read back. */
function plantNormal(): void {
  const exec = Connection.prototype.exec
  Connection.prototype.exec = function (this: Connection, text: string) {
    exec.call(this, text)
    if (text.includes('busy_timeout = 0')) exec.call(this, 'PRAGMA synchronous = NORMAL')
  }
  Connection.prototype.waitForDisk = () => {}
}

process.on('uncaughtException', (error) => {
  appendFileSync(`${log}.error`, `${by}: ${error.stack}\n`)
  process.exit(1)
})
