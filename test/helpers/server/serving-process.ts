import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { shareCompiledCode } from '../compiled-code.ts'
import { lastLines, showIfFailed } from '../evidence.ts'

/** A command of the executable that goes on until it is stopped, as a user would run it in a home. */
export function spawnServing(home: string, executable: string, args: readonly string[], node: readonly string[] = []) {
  shareCompiledCode(home)
  const child = spawn(process.execPath, [...node, executable, ...args], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  showIfFailed(() => `stderr of "postern ${args.join(' ')}":\n${lastLines(stderr)}`)
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })
  return {
    child,
    exited,
    stderr: () => stderr,
    /** What its first line says, which is JSON. Rejects where it ends before. */
    async announced<T>(): Promise<T> {
      const first = await Promise.race([once(lines, 'line'), exited.then(() => undefined)])
      if (first === undefined) throw new Error(`it did not start: ${stderr}`)
      return JSON.parse(first[0])
    },
    /** Ends it, and resolves with its exit code. */
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
      child.kill(signal)
      const [code] = await exited
      return code
    },
  }
}
