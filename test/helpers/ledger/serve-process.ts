import { EXECUTABLE } from '../command.ts'
import { spawnServing } from '../server/serving-process.ts'

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
  const { announced, stderr, stop } = spawnServing(home, EXECUTABLE, ['ledger', 'serve', ...ports, '--json'])
  return { ...(await announced<ServedLedger>()), stderr, stop }
}
