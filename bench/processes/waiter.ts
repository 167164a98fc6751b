import { openSystem } from '../systems/all.ts'
import type { CpuReport, Errand, WaiterReport } from './messages.ts'

const { system: name, place, options } = JSON.parse(process.argv[2]!) as Errand
const system = await openSystem(name, place, options)
await system.listen!(({ sentAt }) => {
  const wokeAfter = (Number(process.hrtime.bigint()) - sentAt) / 1e6
  process.send!({ wokeAfter } satisfies WaiterReport)
})

let before = process.cpuUsage()
process.on('message', () => {
  const { user, system: kernel } = process.cpuUsage(before)
  before = process.cpuUsage()
  process.send!({ cpuMs: (user + kernel) / 1000 } satisfies CpuReport)
})
process.on('disconnect', () => process.exit())
process.send!({})
