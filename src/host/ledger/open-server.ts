import type { Context } from '../../core/context.ts'
import { noteSkipped, takeIn } from '../../core/ledger/intake/take-in.ts'
import { labelOf } from '../../core/ledger/status.ts'
import { ring } from '../../core/rings/ring.ts'
import { lazy } from '../../kit/pure/lazy.ts'
import {
  type LedgerPorts,
  NODE_ACCOUNT,
  OPERATOR_ACCOUNT,
  startLedgerServer,
} from '../../ledger/serve/ledger-server.ts'
import { PosternError } from '../../model/errors.ts'
import type { LedgerLabel } from '../../model/ledger/ledgers.ts'
import { createSharing } from '../../store/sqlite/sharing.ts'
import type { Config } from '../config/config.ts'
import { openContext } from '../open/context.ts'
import { openStore } from '../open/store.ts'
import { ensureOperatorKey } from './operator-key.ts'

/** The ports that clients of Hedera expect of a ledger on their own machine. */
const LOCAL_PORTS: LedgerPorts = { node: 50211, mirror: 5600, rest: 5551 }

export interface LedgerServing {
  readonly ledger: LedgerLabel
  readonly ports: LedgerPorts
  /** The node's. */
  readonly account: string
  /** The account that clients begin with, and where its private key lies. */
  readonly operator: { readonly account: string; readonly keyFile: string }
  /** Safe to call twice. */
  close(): Promise<void>
}

export interface ServeLedger {
  /** 0 takes any that is free. */
  readonly ports: Partial<LedgerPorts>
  readonly note: Context['note']
}

/** Opens the configured store and lets clients of Hedera at its local ledger until it is closed. */
export async function openLedgerServing(config: Config, { ports, note }: ServeLedger): Promise<LedgerServing> {
  const { store, wire } = await openStore(config, { isShared: true, sharing: createSharing() })
  const options = { config, home: config.home, limits: config.limits, isShared: true, note }
  const { ctx, close: closeContext } = openContext(store, wire, options)
  const close = lazy(async () => {
    await server?.close()
    await closeContext()
  })
  let server: { readonly ports: LedgerPorts; close(): Promise<void> } | undefined
  try {
    const { publicKey, file } = ensureOperatorKey(config.home)
    server = await startServer(ctx, publicKey, { ...LOCAL_PORTS, ...ports })
    const operator = { account: OPERATOR_ACCOUNT, keyFile: file }
    const { ledger } = await ctx.ledger()
    return { ledger: labelOf(ledger), ports: server.ports, account: NODE_ACCOUNT, operator, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startServer(ctx: Context, operatorKey: string, ports: LedgerPorts) {
  const ledgers = await ctx.ledger()
  const { ledger } = ledgers
  if (ledger.kind !== 'local') {
    throw new PosternError('USAGE', {
      message: `The ledger of this home is ${ledger.network}, which serves itself.`,
      next: 'Set "ledger.network" in the configuration to "local" to serve a ledger of your own.',
    })
  }
  const { store, note } = ctx
  return startLedgerServer({
    store,
    ledger,
    note,
    ports,
    operatorKey,
    async onEntries(tx, topic, entries) {
      const taken = await takeIn(ctx, ledgers, tx, topic, entries)
      return () => {
        ring(ctx, taken.rings)
        noteSkipped(ctx, topic.id, taken)
      }
    },
  })
}
