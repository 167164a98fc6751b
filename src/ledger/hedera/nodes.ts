import { createBackoff } from '../../kit/pure/backoff.ts'
import { createGrpcChannel, type GrpcChannel } from '../protocol/grpc-client.ts'

/** A consensus node and the connection to it. */
export interface LedgerNode {
  readonly account: string
  readonly channel: GrpcChannel
  /** It answered as it should, or it did not and rests for a while. */
  report(isWell: boolean): void
}

export interface LedgerNodes {
  /** The one whose turn it is: those that have failed come last. */
  next(): LedgerNode
  close(): void
}

const REST = { minMs: 1_000, maxMs: 60_000 }

export function createNodes(addresses: Readonly<Record<string, string>>, random: () => number): LedgerNodes {
  const entries = Object.entries(addresses)
  const nodes = entries.map(([address, account]) => createNode(address, account, random))
  let turn = Math.floor(random() * nodes.length)
  return {
    next() {
      turn = (turn + 1) % nodes.length
      const now = performance.now()
      const inTurn = [...nodes.slice(turn), ...nodes.slice(0, turn)]
      const [rested] = inTurn.toSorted((a, b) => Math.max(a.restsUntil(), now) - Math.max(b.restsUntil(), now))
      if (!rested) throw new Error('a network has at least one node')
      return rested
    },
    close() {
      for (const { channel } of nodes) channel.close()
    },
  }
}

function createNode(address: string, account: string, random: () => number) {
  const backoff = createBackoff({ ...REST, random })
  let until = 0
  return {
    account,
    channel: createGrpcChannel(address),
    restsUntil: () => until,
    report(isWell: boolean) {
      if (isWell) backoff.reset()
      until = isWell ? 0 : performance.now() + backoff.next()
    },
  }
}
