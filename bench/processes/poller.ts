import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { CpuReport, Errand } from './messages.ts'

/** Looks every millisecond whether the store has changed: what a waiter costs without a doorbell. */
const { place } = JSON.parse(process.argv[2]!) as Errand
const version = new DatabaseSync(join(place, 'postern.db')).prepare('PRAGMA data_version')
setInterval(() => version.get(), 1)

let before = process.cpuUsage()
process.on('message', () => {
  const { user, system } = process.cpuUsage(before)
  before = process.cpuUsage()
  process.send!({ cpuMs: (user + system) / 1000 } satisfies CpuReport)
})
process.on('disconnect', () => process.exit())
process.send!({})
