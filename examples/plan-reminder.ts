/**
 * An agent reminds itself: it sets plans for later and for every Monday, sleeps, and is woken when the first is due.
 *
 *   npm run build && node examples/plan-reminder.ts
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent, openPostern } from 'postern'

const home = mkdtempSync(join(tmpdir(), 'postern-example-'))
const postern = await openPostern({ home })
await postern.agents.add({ id: 'analyst' })
const analyst = postern.as({ id: 'analyst', kind: 'ai', verified: false, via: 'sdk' })

const [, weekly] = await analyst.plans.set({
  plans: [
    { name: 'soon', instruction: 'Look whether the numbers are in', runAfter: '1s' },
    { name: 'weekly', instruction: 'Post the weekly summary', cron: '0 9 * * 1', zone: 'Europe/Berlin' },
  ],
})
console.log(`The weekly plan shows its next ${weekly?.upcomingAt.length} instants.`)

const runtime = agent(analyst, { agent: 'analyst' })
for await (const { text, events } of runtime.batches()) {
  console.log(text)
  for (const event of events) if (event.type === 'plan') console.log(`It is the plan ${event.data.planName}.`)
  runtime.stop()
}

for (const { name, nextRunAt, runs } of await analyst.plans.list({ all: true }))
  console.log(`${name}: ran ${runs} times, ${nextRunAt === null ? 'is over' : 'comes again'}`)
await postern.close()
rmSync(home, { recursive: true })
