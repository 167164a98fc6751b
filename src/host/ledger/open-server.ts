import type { Context } from '../../core/context.ts'
import { labelOf } from '../../core/ledger/status.ts'
import { lazy } from '../../kit/pure/lazy.ts'
import { type LedgerPorts, NODE_ACCOUNT, OPERATOR_ACCOUNT } from '../../ledger/serve/ledger-server.ts'
import { type LocalLedgerServer, serveLocalLedger } from '../../loops/ledger/serve-local-ledger.ts'
import type { Loop } from '../../loops/loop.ts'
import type { LedgerLabel } from '../../model/ledger/ledgers.ts'
import { createSharing } from '../../store/sqlite/sharing.ts'
import type { Config } from '../config/config.ts'
import { openContext, requireUsableRules } from '../open/context.ts'
import { openStore } from '../open/store.ts'
import { ensureOperatorKey } from './operator-key.ts'

/** The ports that clients of Hedera expect of a ledger on their own machine. */
const LOCAL_PORTS: LedgerPorts = { node: 50211, mirror: 5600, rest: 5551 }

/** A served local ledger, and what its clients need to know. */
export interface OpenLedgerServer extends Loop {
  readonly ledger: LedgerLabel
  readonly ports: LedgerPorts
  /** The account of the node. */
  readonly account: string
  /** The account that clients begin with, and the file of its private key. */
  readonly operator: { readonly account: string; readonly keyFile: string }
}

export interface ServeLedger {
  /** 0 takes any free port. */
  readonly ports: Partial<LedgerPorts>
  readonly note: Context['note']
}

/** Opens the configured store and serves its local ledger to clients of Hedera until it is closed. */
export async function openLedgerServer(config: Config, { ports, note }: ServeLedger): Promise<OpenLedgerServer> {
  requireUsableRules(config)
  const { store, wire } = await openStore(config, { isShared: true, sharing: createSharing() })
  const options = { config, home: config.home, limits: config.limits, isShared: true, note }
  const { ctx, close: closeContext } = openContext(store, wire, options)
  const close = lazy(async () => {
    await server?.close()
    await closeContext()
  })
  let server: LocalLedgerServer | undefined
  try {
    const { publicKey, file } = ensureOperatorKey(config.home)
    const started = await serveLocalLedger(ctx, { operatorKey: publicKey, ports: { ...LOCAL_PORTS, ...ports } })
    server = started
    const operator = { account: OPERATOR_ACCOUNT, keyFile: file }
    const { ledger } = await ctx.ledger()
    const label = labelOf(ledger)
    return { ledger: label, ports: started.ports, account: NODE_ACCOUNT, operator, wake: started.wake, close }
  } catch (error) {
    await close()
    throw error
  }
}
