import { PosternError } from '../model/errors.ts'
import type { Inbox } from '../model/postern.ts'
import type { Witness } from './witness.ts'

/** So many answers may be out that nobody has confirmed; what is older lapses by itself and is shown again. */
const KEPT = 50

/**
 * What was offered through one connection and has gone out whole. The caller's next call shows that the answer before it
 * has arrived: only then is it seen.
 */
export interface Shown {
  /** Starts the witness, if there can be one. Resolves once an answer with an offer may go out. */
  prepare(): Promise<void>
  /** An answer with this offer has gone out, or it has not: then the offer is given back. */
  settle(offerId: string, wasSent: boolean): Promise<void>
  /** An answer that had gone out was not read: the connection broke under it. */
  lose(offerId: string): Promise<void>
  /** Confirms what had gone out before a call began. */
  confirm(evidence: string): Promise<void>
  /** Gives everything back: nobody knows whether it arrived. */
  release(reason: string): Promise<void>
}

export function createShown(inbox: Pick<Inbox, 'printed' | 'confirm' | 'release'>, witness?: Witness): Shown {
  const printed: string[] = []
  /** Answers whose going out is still being written down. */
  const settling = new Set<Promise<void>>()
  /** Offers that the witness settles if this process is killed. */
  const witnessed = new Set<string>()

  function watch(offerId: string): void {
    witnessed.add(offerId)
    witness?.hold([...witnessed])
  }

  function unwatch(offerId: string): void {
    if (witnessed.delete(offerId)) witness?.hold([...witnessed])
  }

  async function settle(offerId: string, wasSent: boolean): Promise<void> {
    if (!wasSent) return ignoreClosed(() => inbox.release({ offerId, reason: 'the answer could not be delivered' }))
    watch(offerId)
    try {
      await ignoreClosed(() => inbox.printed({ offerId }))
    } catch (error) {
      unwatch(offerId)
      throw error
    }
    printed.push(offerId)
    if (printed.length > KEPT) unwatch(printed.shift() ?? '')
  }

  /** What was shown stays noted until the store knows what became of it. */
  async function closeAll(
    step: (offerId: string) => Promise<unknown>,
    isMeant: (offerId: string) => boolean = () => true,
  ): Promise<void> {
    await Promise.all(settling)
    for (const offerId of printed.filter(isMeant)) {
      await ignoreClosed(() => step(offerId))
      const at = printed.indexOf(offerId)
      if (at >= 0) printed.splice(at, 1)
      unwatch(offerId)
    }
  }

  /** The witness forgets the offer first: an offer that is given back must not be confirmed. */
  function release(offerId: string, reason: string): Promise<unknown> {
    unwatch(offerId)
    return inbox.release({ offerId, reason })
  }

  return {
    prepare: async () => witness?.prepare(),
    settle(offerId, wasSent) {
      const settled = settle(offerId, wasSent).finally(() => settling.delete(settled))
      settling.add(settled)
      return settled
    },
    lose: (lost) =>
      closeAll(
        (offerId) => release(offerId, 'the connection broke before it was read'),
        (offerId) => offerId === lost,
      ),
    confirm: (evidence) => closeAll((offerId) => inbox.confirm({ offerId, evidence })),
    release: (reason) => closeAll((offerId) => release(offerId, reason)),
  }
}

/** An offer may have been confirmed by a hook, or may have lapsed: then there is nothing left to do. */
export async function ignoreClosed(step: () => Promise<unknown>): Promise<void> {
  try {
    await step()
  } catch (error) {
    if (error instanceof PosternError && CLOSED.includes(error.code)) return
    throw error
  }
}

const CLOSED: readonly string[] = ['OFFER_NOT_FOUND', 'OFFER_UNPRINTED']
