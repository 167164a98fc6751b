import { PosternError } from '../../model/errors.ts'
import { createGrpcServer } from '../protocol/grpc-server.ts'
import { createBells } from './bells.ts'
import { createInFlightCalls } from './in-flight.ts'
import { mirrorCalls } from './mirror.ts'
import { nodeCalls } from './node.ts'
import { createRestServer } from './rest/rest-server.ts'
import { OPERATOR_ACCOUNT, type ServeContext } from './serve-context.ts'

export type { OnEntries } from './serve-context.ts'
export { NODE_ACCOUNT, OPERATOR_ACCOUNT } from './serve-context.ts'

export interface LedgerServerOptions extends ServeContext {
  /** 0 takes any that is free. */
  readonly ports: LedgerPorts
  /** The public key of the account that a new ledger begins with, as HAPI's `Key` in hex. */
  readonly operatorKey: string
}

export interface LedgerPorts {
  readonly node: number
  readonly mirror: number
  readonly rest: number
}

/** A local ledger that speaks Hedera's protocol, so that its clients work with it as they are. */
export interface LedgerServer {
  readonly ports: LedgerPorts
  /** Lets every stream read now what other processes have written. */
  wake(): void
  /** Resolves when every call has ended. Safe to call twice. It does not close the store. */
  close(): Promise<void>
}

/** A client needs no key to read every topic, so only clients on this machine can connect. */
const LOOPBACK = '127.0.0.1'

export async function startLedgerServer(options: LedgerServerOptions): Promise<LedgerServer> {
  await seedOperator(options)
  const bells = createBells()
  const context = ringing(options, bells.ring)
  const inFlight = createInFlightCalls()
  const servers: Listener[] = []
  const close = async () => {
    await Promise.all(servers.map((server) => server.close()))
    // Whoever made this closes the store next.
    await inFlight.idle()
  }
  const open = async (server: Listener, port: number) => {
    servers.push(server)
    return server.listen(port, LOOPBACK).catch((error) => Promise.reject(refusalOf(error, port)))
  }
  try {
    // Both answer the calls of the other, for some clients know only one address.
    const calls = {
      unary: inFlight.track(nodeCalls(context)),
      stream: inFlight.track(mirrorCalls(context, bells, () => node)),
    }
    const node: number = await open(createGrpcServer(calls), options.ports.node)
    const mirror = await open(createGrpcServer(calls), options.ports.mirror)
    const rest = await open(createRestServer(context, inFlight), options.ports.rest)
    return { ports: { node, mirror, rest }, wake: () => bells.ringAll(), close }
  } catch (error) {
    await close()
    throw error
  }
}

interface Listener {
  listen(port: number, host: string): Promise<number>
  close(): Promise<void>
}

/** Whoever listens here hears of an entry at once, and not only when it looks. */
function ringing(context: ServeContext, ring: (topicId: string) => void): ServeContext {
  return {
    ...context,
    async onEntries(tx, topic, entries) {
      const afterwards = await context.onEntries(tx, topic, entries)
      return () => {
        afterwards?.()
        ring(topic.id)
      }
    },
  }
}

/** Under another key the old one is good no longer: the key file of the home is the truth. */
async function seedOperator({ store, operatorKey }: LedgerServerOptions): Promise<void> {
  await store.transact(async (tx) => {
    const kept = await tx.ledger.getAccount({ id: OPERATOR_ACCOUNT })
    if (kept?.key === operatorKey) return
    const createdAt = kept?.createdAt ?? store.now()
    await tx.ledger.putAccount({ id: OPERATOR_ACCOUNT, memo: kept?.memo ?? '', key: operatorKey, createdAt })
  })
}

function refusalOf(error: NodeJS.ErrnoException, port: number): PosternError {
  const address = `${LOOPBACK}:${port}`
  if (error.code === 'EADDRINUSE') return new PosternError('ADDRESS_IN_USE', { address }, { cause: error })
  const next = `It cannot be listened on here (${error.code}); choose another.`
  return new PosternError('VALUE_INVALID', { field: 'address', value: address, next }, { cause: error })
}
