import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'

/** Takes the write lock of a store, says so, and gives it back when it is told how long to wait. */
const SCRIPT = `
const { DatabaseSync } = require('node:sqlite')
const database = new DatabaseSync(process.argv[1], { timeout: 5000 })
if (process.argv[2] === 'whole') database.exec('PRAGMA locking_mode = EXCLUSIVE')
database.exec('BEGIN IMMEDIATE')
process.stdout.write('held')
process.stdin.once('data', (ms) => setTimeout(() => { database.exec('ROLLBACK'); process.stdout.write('let go') }, Number(ms)))
`

export interface Holder {
  freeze(): void
  letGoAfter(ms: number): Promise<void>
  kill(): Promise<void>
}

/** Another process, which holds the lock of a store: that of writers, or the whole of it. */
export async function startHolder(path: string, what: 'writing' | 'whole' = 'writing'): Promise<Holder> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', SCRIPT, path, what], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const gone = once(child, 'close').then(() => {})
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return {
    freeze: () => void child.kill('SIGSTOP'),
    async letGoAfter(ms) {
      child.stdin.write(`${ms}`)
      await once(child.stdout, 'data')
    },
    kill() {
      child.kill('SIGKILL')
      return gone
    },
  }
}
