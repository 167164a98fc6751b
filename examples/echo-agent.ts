/**
 * Two agents on one machine, each a process of its own: echo answers whatever it is told, mindy asks and reads.
 *
 *   npm run build && node examples/echo-agent.ts
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { agent, openPostern, type Postern } from 'postern'

const [, program = '', given] = process.argv
if (given === undefined) await mindy()
else await echo(given)

/** Sleeps until somebody writes, and answers all that waits at once. */
async function echo(home: string): Promise<void> {
  const postern = await openPostern({ home })
  const runtime = agent(postern, { agent: 'echo' })
  process.once('SIGTERM', runtime.stop)
  for await (const { messages } of runtime.batches()) {
    const answers = messages.map(({ id, from, content }) => ({
      to: [from.id],
      content: `You said: ${content}`,
      replyTo: id,
      // A crash may come between this and the end of the body: the same answer again is then the same message.
      dedupKey: `echo:${id}`,
    }))
    await as(postern, 'echo').inbox.pushMany({ messages: answers })
  }
  await postern.close()
}

async function mindy(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'postern-example-'))
  const postern = await openPostern({ home })
  for (const id of ['echo', 'mindy']) await postern.agents.add({ id })
  const other = fork(program, [home])

  const questions = ['Is the build green?', 'And the tests?'].map((content) => ({ to: ['echo'], content }))
  const [first] = await as(postern, 'mindy').inbox.pushMany({ messages: questions })
  const runtime = agent(postern, { agent: 'mindy' })
  for await (const batch of runtime.batches()) {
    console.log(batch.text)
    runtime.stop()
  }
  const { why } = await postern.inbox.waitFor({ id: first?.id ?? '', stage: 'seen', timeoutMs: 10_000 })
  console.log(why)

  other.kill('SIGTERM')
  const [exit] = await once(other, 'exit')
  console.log(`echo has ended with ${exit}`)
  await postern.close()
  rmSync(home, { recursive: true })
}

function as(postern: Postern, id: string): Postern {
  return postern.as({ id, kind: 'ai', verified: false, via: 'sdk' })
}
