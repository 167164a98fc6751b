import { utf8Length } from '../text.ts'
import { ENTRY_BYTES } from './entry.ts'
import type { ParcelStep } from './parcel.ts'

/**
 * What Hedera's schedule of simple fees asks, in billionths of a US dollar. It is an estimate made before anything is
 * sent: rather a little too much than too little.
 */
const SUBMISSION = 170_000
const FREE_BYTES = 100
const FURTHER_BYTE = 680
const TOPIC = 10_000_000
const TOPIC_KEY = 10_000_000
const ACCOUNT_UPDATE = 220_000
const BILLION = 1_000_000_000

/** Of a message of that many bytes. Every chunk of a long one is a transaction of its own. */
export function priceOfSubmission(bytes: number, memo = ''): number {
  const memoBytes = utf8Length(memo)
  let price = 0
  for (let rest = bytes; rest > 0 || price === 0; rest -= ENTRY_BYTES) {
    const billed = Math.min(rest, ENTRY_BYTES) + memoBytes
    price += SUBMISSION + Math.max(0, billed - FREE_BYTES) * FURTHER_BYTE
  }
  return price
}

/** Of a topic with that many keys: none, one or two. */
export function priceOfTopic(keys: number): number {
  return TOPIC + keys * TOPIC_KEY
}

export function priceOfSteps(steps: readonly ParcelStep[]): number {
  return steps.reduce((sum, step) => sum + priceOfStep(step), 0)
}

function priceOfStep(step: ParcelStep): number {
  switch (step.kind) {
    case 'topic':
      return priceOfTopic(Number(step.adminKey !== null) + Number(step.submitKey !== null))
    case 'submission':
      return priceOfSubmission(utf8Length(step.text), step.memo)
    case 'memo':
      return ACCOUNT_UPDATE
  }
}

export function toDollars(billionths: number): number {
  return billionths / BILLION
}

export function fromDollars(dollars: number): number {
  return Math.round(dollars * BILLION)
}

/** `0.00017`, `1.50`: at least two digits behind the point, and all that count. */
export function formatDollars(billionths: number): string {
  const [whole = '0', part = ''] = (billionths / BILLION).toFixed(9).split('.')
  return `${whole}.${part.replace(/0+$/, '').padEnd(2, '0')}`
}
