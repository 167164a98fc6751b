import { PosternError } from '../../model/errors.ts'

const WRONG_PER_MINUTE = 10
const MINUTE_MS = 60_000
const PER_SECOND = 2_000
const BURST = 4_000
/** Whoever makes up more addresses than this pushes out the oldest. */
const REMEMBERED = 10_000

/** Bounds what one address may guess and one token may ask. */
export interface Rates {
  /** Counts a wrong credential. Returns a refusal if there were too many: it is then not even told to be wrong. */
  wrong(address: string): Refusal | undefined
  /** Throws RATE_LIMITED while an address is locked out because of wrong credentials. */
  requireUnlocked(address: string): void
  /** Throws RATE_LIMITED where a token is used too often. */
  use(tokenId: string): void
}

interface Refusal {
  readonly error: PosternError
  /** The first one of its minute, which is worth a line in the log. */
  readonly isFirst: boolean
}

interface Window {
  readonly endsAt: number
  count: number
}

interface Bucket {
  level: number
  at: number
}

export function createRates(now: () => number): Rates {
  const windows = new Map<string, Window>()
  const buckets = new Map<string, Bucket>()

  return {
    wrong(address) {
      const at = now()
      const known = windows.get(address)
      const current = known && known.endsAt > at ? known : { endsAt: at + MINUTE_MS, count: 0 }
      current.count++
      remember(windows, address, current)
      if (current.count <= WRONG_PER_MINUTE) return undefined
      return { error: limited(current.endsAt - at), isFirst: current.count === WRONG_PER_MINUTE + 1 }
    },

    requireUnlocked(address) {
      const at = now()
      const known = windows.get(address)
      if (known && known.endsAt > at && known.count > WRONG_PER_MINUTE) throw limited(known.endsAt - at)
    },

    use(tokenId) {
      const at = now()
      const { level, at: since } = buckets.get(tokenId) ?? { level: BURST, at }
      const filled = Math.min(BURST, level + (Math.max(0, at - since) / 1_000) * PER_SECOND)
      if (filled < 1) throw limited(1_000)
      remember(buckets, tokenId, { level: filled - 1, at })
    },
  }
}

function limited(ms: number): PosternError {
  return new PosternError('RATE_LIMITED', { seconds: Math.max(1, Math.ceil(ms / 1_000)) })
}

/** A map keeps the order of insertion, so the first is the one that was not used for longest. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key)
  map.set(key, value)
  const oldest = map.keys().next().value
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest)
}
