import { sleep } from '../kit/clock/sleep.ts'
import { isAlive, isStaying, type ProcessId } from '../kit/node/processes.ts'
import type { Inbox } from '../model/postern.ts'
import { ignoreClosed } from './shown.ts'

/** What became of the client of a server that has ended. The text is the evidence that its offers are settled with. */
export const ENDINGS = {
  inGoodOrder: 'the client ended the connection in good order',
  clientLives: 'the server was killed, and its client lives on',
  gone: 'the client is gone',
} as const

export type Ending = keyof typeof ENDINGS

/** A client that outlives its server by this long was not killed with it. */
const SURVIVAL_MS = 1_000

export interface EndingClues {
  /** True if the witness caught a signal, or the server noticed the good end before it was killed. */
  readonly isInGoodOrder: boolean
  /** The process that started the server; undefined if the server could not tell. */
  readonly client: ProcessId | undefined
}

/**
 * Finds out how the client of a killed server ended. A client that signals the group and then kills the server has ended
 * in good order. A client that lives on has read the whole answer, because a pipe outlives its writer. A client that is
 * gone may have been killed with its server.
 */
export async function findEnding({ isInGoodOrder, client }: EndingClues): Promise<Ending> {
  if (isInGoodOrder) return 'inGoodOrder'
  if (!client || !isThere(client)) return 'gone'
  await sleep(SURVIVAL_MS)
  return isThere(client) ? 'clientLives' : 'gone'
}

function isThere({ pid, startedAt }: ProcessId): boolean {
  return isAlive(pid, startedAt) === 'alive' && isStaying(pid)
}

/** Settles offers whose answers went out whole. The server may have died before it recorded that they were printed. */
export async function settleLeftOffers(
  inbox: Pick<Inbox, 'confirm' | 'release'>,
  offerIds: readonly string[],
  ending: Ending,
): Promise<void> {
  const evidence = ENDINGS[ending]
  for (const offerId of offerIds) {
    await ignoreClosed(() =>
      ending === 'gone'
        ? inbox.release({ offerId, reason: evidence })
        : inbox.confirm({ offerId, evidence, printed: true }),
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
