import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { EXECUTABLE } from '../command.ts'

/** What `postern ledger serve --json` says of itself. */
export interface ServedLedger {
  readonly ledger: { readonly kind: string; readonly network: string; readonly public_consensus: boolean }
  readonly nodes: Readonly<Record<string, string>>
  readonly mirror: string
  readonly mirrorGrpc: string
  readonly operator: { readonly account: string; readonly keyFile: string }
}

export interface LedgerServeProcess extends ServedLedger {
  readonly stderr: () => string
  /** Ends it, and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Runs `postern ledger serve` as a user would, on ports that are free. The caller stops it. */
export async function startLedgerServe(home: string): Promise<LedgerServeProcess> {
  const ports = ['--node-port', '0', '--mirror-port', '0', '--rest-port', '0']
  const child = spawn(process.execPath, [EXECUTABLE, 'ledger', 'serve', ...ports, '--json'], {
    cwd: home,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const exited = once(child, 'exit')
  const first = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    exited.then(() => undefined),
  ])
  if (first === undefined) throw new Error(`it did not start: ${stderr}`)
  return {
    ...(JSON.parse(first[0]) as ServedLedger),
    stderr: () => stderr,
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const [code] = await exited
      return code
    },
  }
}
