import { type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Verified, VerifyMark } from '../../../../src/model/ledger/ledgers.ts'
import type { LedgerTopic } from '../../../../src/model/ledger/topic.ts'
import { postern } from '../../api/postern.ts'
import { attempt } from '../../parts/toasts.tsx'

/** What a walk through a topic has found. */
export interface Verdict {
  readonly entries: number
  readonly bad: Verified['bad']
}

export interface Verifying {
  readonly verdicts: ReadonlySignal<ReadonlyMap<string, Verdict>>
  readonly isBusy: ReadonlySignal<boolean>
  readonly done: ReadonlySignal<number>
  readonly total: ReadonlySignal<number>
  verifyAll(topics: readonly LedgerTopic[]): Promise<void>
}

/** Entries of one request: few enough that the bar moves. */
const SLICE = 500

export function useVerifying(): Verifying {
  const verdicts = useSignal<ReadonlyMap<string, Verdict>>(new Map())
  const isBusy = useSignal(false)
  const done = useSignal(0)
  const total = useSignal(0)
  const isOver = useRef(false)
  useEffect(
    () => () => {
      isOver.current = true
    },
    [],
  )

  async function verify(topic: LedgerTopic): Promise<void> {
    const before = done.value
    let after: VerifyMark | undefined
    let entries = 0
    for (;;) {
      const slice = await postern.ledger.verify({ topic: topic.id, limit: SLICE, ...(after && { after }) })
      entries += slice.entries
      done.value = before + entries
      if (slice.isDone || slice.bad || isOver.current) {
        verdicts.value = new Map(verdicts.value).set(topic.id, { entries, bad: slice.bad })
        return
      }
      after = slice.mark
    }
  }

  async function verifyAll(topics: readonly LedgerTopic[]): Promise<void> {
    if (isBusy.value) return
    isBusy.value = true
    done.value = 0
    total.value = topics.reduce((sum, { sequence }) => sum + sequence, 0)
    await attempt(async () => {
      for (const topic of topics) if (!isOver.current) await verify(topic)
    })
    isBusy.value = false
  }

  return { verdicts, isBusy, done, total, verifyAll }
}
