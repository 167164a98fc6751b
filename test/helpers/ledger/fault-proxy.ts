import type { LoopbackLedger } from './loopback.ts'
import { createMirrorFaults, type MirrorFaults } from './mirror-faults.ts'
import { createNodeFaults, type NodeFaults, relayNode } from './node-faults.ts'
import { relayRest } from './rest-faults.ts'
import { relayStreams } from './stream-faults.ts'

/**
 * Stands between a client and a loopback ledger, and does what networks do. Its addresses are named as the ledger's own
 * are; whatever a test sets in `mirrorFaults` and `nodeFaults` counts from then on.
 */
export interface FaultProxy extends Pick<LoopbackLedger, 'nodes' | 'mirror' | 'mirrorGrpc' | 'operator'> {
  readonly mirrorFaults: MirrorFaults
  readonly nodeFaults: NodeFaults
  /** How often each was asked. */
  readonly asked: { rest: number; streams: number; transactions: number }
  close(): Promise<void>
}

/** The caller closes it, before the ledger. */
export async function openFaultProxy(
  ledger: Pick<LoopbackLedger, 'nodes' | 'mirror' | 'mirrorGrpc' | 'operator'>,
): Promise<FaultProxy> {
  const asked = { rest: 0, streams: 0, transactions: 0 }
  const mirrorFaults = createMirrorFaults()
  const nodeFaults = createNodeFaults()
  const [[address, account]] = Object.entries(ledger.nodes) as [[string, string]]
  const rest = await relayRest(ledger.mirror, mirrorFaults, asked)
  const streams = await relayStreams(ledger.mirrorGrpc, mirrorFaults, asked)
  const node = await relayNode(address, nodeFaults, asked)
  return {
    nodes: { [`127.0.0.1:${node.port}`]: account },
    mirror: `http://127.0.0.1:${rest.port}`,
    mirrorGrpc: `127.0.0.1:${streams.port}`,
    operator: ledger.operator,
    mirrorFaults,
    nodeFaults,
    asked,
    async close() {
      await Promise.all([rest.close(), streams.close(), node.close()])
    },
  }
}
