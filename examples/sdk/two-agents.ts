/**
 * Two agents in one program: mindy asks, quinn reads, answers and acknowledges, and mindy has the proof.
 *
 *   node examples/sdk/two-agents.ts
 *
 * The store is a temporary folder that is removed at the end.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Caller, openPostern, type Postern } from '../../src/index.ts'

const home = mkdtempSync(join(tmpdir(), 'postern-example-'))
const postern = await openPostern({ home, store: join(home, 'postern.db') })
try {
  await talk(postern)
} finally {
  await postern.close()
  rmSync(home, { recursive: true, force: true })
}

async function talk(postern: Postern): Promise<void> {
  await postern.agents.add({ id: 'mindy' })
  await postern.agents.add({ id: 'quinn' })
  const mindy = postern.as(agent('mindy'))
  const quinn = postern.as(agent('quinn'))

  const question = { to: ['quinn'], content: 'Is the build green?', dedupKey: 'build-question' }
  const { id } = await mindy.inbox.push(question)
  const again = await mindy.inbox.push(question)
  console.log(`mindy asked; asking again is a duplicate: ${again.duplicate && again.id === id}`)

  // A drain is two steps: what it offers counts as seen only once somebody says that it was shown.
  const drained = await quinn.inbox.drain({ agent: 'quinn' })
  for (const message of drained.messages) console.log(`quinn reads: ${message.content}`)
  if (drained.offer) {
    await quinn.inbox.confirm({ offerId: drained.offer.id, printed: true, evidence: 'it was printed' })
  }
  console.log(`quinn drains again: ${(await quinn.inbox.drain({ agent: 'quinn' })).messages.length} messages`)

  await quinn.inbox.push({ to: ['mindy'], content: 'Yes, since noon.', replyTo: id })
  await quinn.inbox.ack({ agent: 'quinn', ids: [id] })

  const { pending } = await mindy.inbox.wait({ agent: 'mindy', timeoutMs: 5_000 })
  console.log(`mindy has mail: ${pending}`)
  const { deliveries, why } = await mindy.inbox.trace({ id })
  for (const { agent, steps } of deliveries) console.log(`${agent}: ${steps.map(({ step }) => step).join(' → ')}`)
  console.log(why)
}

function agent(id: string): Caller {
  return { id, kind: 'ai', verified: false, via: 'sdk' }
}
