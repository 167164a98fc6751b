import { PosternError } from '../model/errors.ts'
import type { Inbox } from '../model/postern.ts'

/** So many answers may be out that nobody has confirmed; what is older lapses by itself and is shown again. */
const KEPT = 50

/**
 * What was offered through one connection and has gone out whole. The caller's next call shows that the answer before it
 * has arrived: only then is it seen.
 */
export interface Shown {
  /** An answer with this offer has gone out, or it has not: then the offer is given back. */
  settle(offerId: string, wasSent: boolean): Promise<void>
  /** An answer that had gone out was not read: the connection broke under it. */
  lose(offerId: string): Promise<void>
  /** Confirms what had gone out before a call began. */
  confirm(evidence: string): Promise<void>
  /** Gives everything back: nobody knows whether it arrived. */
  release(reason: string): Promise<void>
}

export function createShown(inbox: Pick<Inbox, 'printed' | 'confirm' | 'release'>): Shown {
  const printed: string[] = []
  /** Answers whose going out is still being written down. */
  const settling = new Set<Promise<void>>()

  async function settle(offerId: string, wasSent: boolean): Promise<void> {
    if (!wasSent) return close(() => inbox.release({ offerId, reason: 'the answer could not be delivered' }))
    await close(() => inbox.printed({ offerId }))
    printed.push(offerId)
    if (printed.length > KEPT) printed.shift()
  }

  /** What was shown stays noted until the store knows what became of it. */
  async function closeAll(
    step: (offerId: string) => Promise<unknown>,
    isMeant: (offerId: string) => boolean = () => true,
  ): Promise<void> {
    await Promise.all(settling)
    for (const offerId of printed.filter(isMeant)) {
      await close(() => step(offerId))
      const at = printed.indexOf(offerId)
      if (at >= 0) printed.splice(at, 1)
    }
  }

  return {
    settle(offerId, wasSent) {
      const settled = settle(offerId, wasSent).finally(() => settling.delete(settled))
      settling.add(settled)
      return settled
    },
    lose: (lost) =>
      closeAll(
        (offerId) => inbox.release({ offerId, reason: 'the connection broke before it was read' }),
        (offerId) => offerId === lost,
      ),
    confirm: (evidence) => closeAll((offerId) => inbox.confirm({ offerId, evidence })),
    release: (reason) => closeAll((offerId) => inbox.release({ offerId, reason })),
  }
}

/** An offer may have been confirmed by a hook, or may have lapsed: then there is nothing left to do. */
async function close(step: () => Promise<unknown>): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (error instanceof PosternError && CLOSED.includes(error.code)) return
    throw error
  }
}

const CLOSED: readonly string[] = ['OFFER_NOT_FOUND', 'OFFER_UNPRINTED']
