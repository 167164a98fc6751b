/**
 * An agent in a process of its own, for tests that wake or kill one:
 *
 *   node agent-process.ts <store> <agent> [hang]
 *
 * It writes a line of JSON for every batch. With `hang` it never gets done with the first.
 */
import { writeSync } from 'node:fs'
import { agent } from '../../src/agent/runtime.ts'
import { openLocal } from './open-local.ts'

/** Short, so that whoever finds out that it was killed need not wait long. */
const LEASE_MS = 500
const FOR_EVER_MS = 2 ** 30

const [, , store = '', name = '', mood] = process.argv
const postern = await openLocal(store, { limits: { unprintedOfferMs: LEASE_MS } })
const runtime = agent(postern, { agent: name, leaseMs: LEASE_MS })
process.once('SIGTERM', runtime.stop)
await runtime.run(async ({ messages }) => {
  const batch = messages.map(({ content, attempt }) => ({ content, attempt }))
  writeSync(1, `${JSON.stringify(batch)}\n`)
  if (mood === 'hang') await new Promise((resolve) => setTimeout(resolve, FOR_EVER_MS))
})
await postern.close()
