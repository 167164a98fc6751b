import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Errand } from './messages.ts'

/** A process that does what it is told, one order at a time. */
export interface Helper<Order extends object, Report> {
  send(order: Order): void
  /** The next report, whenever it comes; rejects where the process ends first or the time is over. */
  report(timeoutMs?: number): Promise<Report>
  /** Ends it, and resolves when it has ended. */
  stop(): Promise<void>
}

const REPORT_MS = 60_000

/** Resolves once the process says that it is ready. */
export async function startHelper<Order extends object, Report>(
  script: 'writer' | 'waiter' | 'poller' | 'flooder',
  errand: Errand,
): Promise<Helper<Order, Report>> {
  const path = fileURLToPath(new URL(`./${script}.ts`, import.meta.url))
  const child = fork(path, [JSON.stringify(errand)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const reports: Report[] = []
  let wake = () => {}
  child.on('message', (message) => {
    reports.push(message as Report)
    wake()
  })
  const report = async (timeoutMs = REPORT_MS): Promise<Report> => {
    if (reports.length === 0)
      await arrival(child, timeoutMs, (call) => {
        wake = call
      })
    return reports.shift() as Report
  }
  await report()
  return {
    send: (order) => {
      child.send(order)
    },
    report,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

function arrival(child: ChildProcess, timeoutMs: number, onWake: (call: () => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error) => {
      clearTimeout(timer)
      child.off('exit', ended)
      if (error) reject(error)
      else resolve()
    }
    const ended = () => settle(new Error('a helper process ended early'))
    const timer = setTimeout(() => settle(new Error('a helper process did not answer in time')), timeoutMs)
    child.once('exit', ended)
    onWake(() => settle())
  })
}
