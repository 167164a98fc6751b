import { isAlive, isStaying, type ProcessId } from '../kit/node/processes.ts'
import type { Inbox } from '../model/postern.ts'
import { ignoreClosed } from './shown.ts'

/** What became of the client of a server that has ended; each is the evidence for its offers. */
export const ENDINGS = {
  inGoodOrder: 'the client ended the connection in good order',
  alone: 'the server was killed, and its client lives on',
  gone: 'the client is gone',
} as const

export type Ending = keyof typeof ENDINGS

/** A client that outlives its server for so long was not killed with it. */
const SURVIVAL_MS = 1_000

export interface LeftBehind {
  /** The witness caught a signal, or the server knew before it was killed. */
  readonly isInGoodOrder: boolean
  /** The client, where the server could tell. */
  readonly client: ProcessId | undefined
}

/**
 * Finds out why a server was killed. A client that signals the group and then kills the server has ended in good order. A
 * client that lives on without its server has read the whole answer: its pipe outlives the writer. A client that is gone
 * may have been killed with its server.
 */
export async function findEnding({ isInGoodOrder, client }: LeftBehind): Promise<Ending> {
  if (isInGoodOrder) return 'inGoodOrder'
  if (!client || !isThere(client)) return 'gone'
  await new Promise((resolve) => setTimeout(resolve, SURVIVAL_MS))
  return isThere(client) ? 'alone' : 'gone'
}

function isThere({ pid, startedAt }: ProcessId): boolean {
  return isAlive(pid, startedAt) === 'alive' && isStaying(pid)
}

/** Settles offers whose answers had gone out whole. The server may have died before it recorded even that. */
export async function settleLeft(
  inbox: Pick<Inbox, 'confirm' | 'release'>,
  offerIds: readonly string[],
  ending: Ending,
): Promise<void> {
  const words = ENDINGS[ending]
  for (const offerId of offerIds) {
    await ignoreClosed(() =>
      ending === 'gone'
        ? inbox.release({ offerId, reason: words })
        : inbox.confirm({ offerId, evidence: words, printed: true }),
    )
  }
}

export function formatProcess({ pid, startedAt }: ProcessId): string {
  return `${pid}@${startedAt}`
}

export function parseProcess(text: string): ProcessId | undefined {
  const [, pid, startedAt] = /^(\d+)@(\d+)$/.exec(text) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), startedAt: Number(startedAt) }
}
