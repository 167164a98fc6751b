import { openSystem } from '../systems/all.ts'
import { makeBody } from '../systems/system.ts'
import type { Errand, WriterOrder, WriterReport } from './messages.ts'

const { system: name, place, options } = JSON.parse(process.argv[2]!) as Errand
const system = await openSystem(name, place, options)
await system.push(makeBody())

process.on('message', async (order: WriterOrder) => {
  const took: number[] = []
  const push = async () => {
    const startedAt = performance.now()
    await system.push(makeBody())
    took.push(performance.now() - startedAt)
  }
  if ('pushes' in order) for (let i = 0; i < order.pushes; i++) await push()
  else await atPace(order.periodMs, order.forMs, push)
  process.send!({ took } satisfies WriterReport)
})
process.on('disconnect', () => process.exit())
process.send!({})

/** Who falls behind goes on at once, and does not make up for what was missed when the time is over. */
async function atPace(periodMs: number, forMs: number, push: () => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  for (
    let dueAt = startedAt + Math.random() * periodMs;
    dueAt < startedAt + forMs;
    dueAt += periodMs * (0.5 + Math.random())
  ) {
    const early = dueAt - performance.now()
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early))
    if (performance.now() > startedAt + forMs) return
    await push()
  }
}
