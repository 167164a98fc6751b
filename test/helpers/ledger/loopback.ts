import { join } from 'node:path'
import { ensureOperatorKey } from '../../../src/host/ledger/operator-key.ts'
import { openEmbedded } from '../../../src/host/open/store.ts'
import { createLocalLedger, type LocalLedger } from '../../../src/ledger/local/local-ledger.ts'
import {
  NODE_ACCOUNT,
  type OnEntries,
  OPERATOR_ACCOUNT,
  startLedgerServer,
} from '../../../src/ledger/serve/ledger-server.ts'
import type { Store } from '../../../src/store/store.ts'
import { makeFastFolder, removeFolder } from '../temp.ts'

/** A network of the tests' own: one node and one mirror, in front of a local ledger that is nobody else's. */
export interface LoopbackLedger {
  /** As the configuration of a ledger names them. */
  readonly nodes: Readonly<Record<string, string>>
  /** `http://127.0.0.1:…` */
  readonly mirror: string
  /** `127.0.0.1:…` */
  readonly mirrorGrpc: string
  readonly operator: { readonly account: string; readonly keyFile: string }
  /** What stands behind it: a test may look, and write past the protocol. */
  readonly store: Store
  readonly ledger: LocalLedger
  /** What went wrong inside. */
  readonly noted: readonly string[]
  /** Ends the server and starts it again on the same ports; what is stored stays. */
  restart(): Promise<void>
  close(): Promise<void>
}

export interface LoopbackOptions {
  /** What follows from entries; nothing by default. */
  readonly onEntries?: OnEntries
  readonly now?: () => number
  /** Where it is kept; by default in a store of its own. Whoever hands it over closes it. */
  readonly store?: Store
}

/** The caller closes it. */
export async function startLoopbackLedger(options: LoopbackOptions = {}): Promise<LoopbackLedger> {
  const folder = makeFastFolder()
  const own = options.store
    ? undefined
    : await openEmbedded(join(folder, 'network.db'), { now: options.now ?? Date.now })
  const store = options.store ?? (own as NonNullable<typeof own>).store
  const ledger = createLocalLedger({ store })
  const { file, publicKey } = ensureOperatorKey(folder)
  const noted: string[] = []
  const start = (ports: { node: number; mirror: number; rest: number }) =>
    startLedgerServer({
      ports,
      store,
      ledger,
      operatorKey: publicKey,
      onEntries: options.onEntries ?? (async () => undefined),
      note: (event, fields) => void noted.push(JSON.stringify({ event, ...fields })),
    })
  let server = await start({ node: 0, mirror: 0, rest: 0 })
  const { ports } = server
  return {
    nodes: { [`127.0.0.1:${ports.node}`]: NODE_ACCOUNT },
    mirror: `http://127.0.0.1:${ports.rest}`,
    mirrorGrpc: `127.0.0.1:${ports.mirror}`,
    operator: { account: OPERATOR_ACCOUNT, keyFile: file },
    store,
    ledger,
    noted,
    async restart() {
      await server.close()
      server = await start(ports)
    },
    async close() {
      await server.close()
      await ledger.close()
      await own?.wire.close()
      await own?.store.close()
      removeFolder(folder)
    },
  }
}
