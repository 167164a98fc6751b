/**
 * An agent asks a person and waits. The person is told in their inbox, answers, and the agent goes on with the answer,
 * which it also finds in its own inbox, should it have been restarted meanwhile.
 *
 *   npm run build && node examples/decision.ts
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent, openPostern } from 'postern'

const home = mkdtempSync(join(tmpdir(), 'postern-example-'))
const postern = await openPostern({ home })
await postern.agents.add({ id: 'quinn' })
await postern.agents.add({ id: 'justin', kind: 'human' })
const quinn = postern.as({ id: 'quinn', kind: 'ai', verified: false, via: 'sdk' })
const justin = postern.as({ id: 'justin', kind: 'human', verified: false, via: 'sdk' })

const { id } = await quinn.decisions.create({
  question: 'Deploy to production?',
  context: 'All 412 tests pass; the last deployment was on Friday.',
  options: [
    { key: 'yes', label: 'Deploy now' },
    { key: 'no', label: 'Wait until Monday' },
  ],
  ask: ['justin'],
})

// A person has an inbox like everybody else. Somebody who sits at a terminal would run "postern decision respond".
const person = agent(justin, { agent: 'justin' })
const answering = person.run(async ({ messages }) => {
  for (const { type, from } of messages) console.log(`justin is asked by ${from.id}: ${type}`)
  await justin.decisions.respond({ id, select: 'no', text: 'Not before the weekend.' })
  person.stop()
})

const { state, answer } = await quinn.decisions.await({ id, timeoutMs: 10_000 })
console.log(`the question is ${state}: ${answer?.selected}, because "${answer?.text}"`)
await answering

const runtime = agent(quinn, { agent: 'quinn' })
for await (const { messages } of runtime.batches()) {
  for (const { type, dedupKey } of messages) console.log(`quinn finds a ${type}: ${dedupKey === `decision:${id}`}`)
  runtime.stop()
}
await postern.close()
rmSync(home, { recursive: true })
