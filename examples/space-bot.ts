/**
 * A space with a person and three agents. What the person says wakes all three; one of them answers, and its answer
 * reaches everybody but itself.
 *
 *   npm run build && node examples/space-bot.ts
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent, openPostern, type SpaceMessageEvent } from 'postern'

const home = mkdtempSync(join(tmpdir(), 'postern-example-'))
const postern = await openPostern({ home })

const AGENTS = ['analyst', 'designer', 'developer']
for (const id of AGENTS) await postern.agents.add({ id, displayName: id.replace(/^./, (first) => first.toUpperCase()) })
await postern.agents.add({ id: 'husam', kind: 'human', displayName: 'Husam' })
await postern.spaces.create({ id: 'alpha', name: 'Project Alpha', members: ['husam', ...AGENTS] })

const husam = postern.as({ id: 'husam', kind: 'human', verified: false, via: 'sdk' })
const working = AGENTS.map(work)
await husam.spaces.post({ id: 'alpha', content: "Let's finalize the Q4 report" })
for (const lines of await Promise.all(working)) console.log(lines.join('\n'))

const { items } = await husam.spaces.history({ id: 'alpha' })
console.log(`The conversation: ${items.map(({ senderName, content }) => `${senderName}: ${content}`).join(' | ')}`)
console.log(`Waiting for Husam: ${(await husam.agents.show({ id: 'husam' })).pending}`)
await postern.close()
rmSync(home, { recursive: true })

/** Each decides for itself whether it is meant. Only the analyst is; the others listen to the end. */
async function work(id: string): Promise<string[]> {
  const self = postern.as({ id, kind: 'ai', verified: false, via: 'sdk' })
  const runtime = agent(self, { agent: id })
  const lines: string[] = []
  for await (const { events } of runtime.batches()) {
    for (const { data } of events.filter((event): event is SpaceMessageEvent => event.type === 'space_message')) {
      lines.push(`${id} hears ${data.senderName} (${data.senderType}) in ${data.spaceName}: ${data.content}`)
      if (id === 'analyst') await self.spaces.post({ id: data.spaceId, content: 'Revenue is up 12 %.' })
    }
    if (id === 'analyst' || lines.length === 2) runtime.stop()
  }
  lines.push(`${id} has ${(await runtime.peek()).length} more`)
  return lines
}
