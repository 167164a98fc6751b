/** What a mirror may do wrong. Fields are set while it runs; those that count go down with each use. */
export interface MirrorFaults {
  /** Entries behind this place are not there yet, wherever one asks; null: nothing is held back. */
  hideAfter: number | null
  /** Places that pages and streams leave out. */
  readonly missing: Set<number>
  /** Places that come twice. */
  readonly repeated: Set<number>
  /** True: neighbours in a page and in a stream change places. */
  isSwapped: boolean
  /** So many pages more are refused with 429. */
  tooMany: number
  /** What such a refusal says of when to come again, in seconds; null: nothing. */
  retryAfter: number | null
  /** So many pages more fail with 503. */
  failures: number
  /** So many pages more break off in their middle. */
  cutPages: number
  /** After so many messages more a stream breaks off, once; null: never. */
  cutStreamAfter: number | null
  /** True: streams are taken and nothing ever comes. */
  isSilent: boolean
  /** Changes what a mirror says of an entry: base64 of its message. */
  alter: ((sequence: number, message: string) => string) | null
}

export function createMirrorFaults(): MirrorFaults {
  return {
    hideAfter: null,
    missing: new Set(),
    repeated: new Set(),
    isSwapped: false,
    tooMany: 0,
    retryAfter: null,
    failures: 0,
    cutPages: 0,
    cutStreamAfter: null,
    isSilent: false,
    alter: null,
  }
}

/** What is left of entries in their order once the faults have had their way. */
export function throughFaults<T>(entries: readonly T[], faults: MirrorFaults, sequenceOf: (entry: T) => number): T[] {
  const seen = entries.filter((entry) => isShown(sequenceOf(entry), faults))
  const twice = seen.flatMap((entry) => (faults.repeated.has(sequenceOf(entry)) ? [entry, entry] : [entry]))
  return faults.isSwapped ? swapNeighbours(twice) : twice
}

export function isShown(sequence: number, { hideAfter, missing }: MirrorFaults): boolean {
  return !missing.has(sequence) && (hideAfter === null || sequence <= hideAfter)
}

function swapNeighbours<T>(entries: readonly T[]): T[] {
  const swapped: T[] = []
  for (let at = 0; at < entries.length; at += 2) swapped.push(...entries.slice(at, at + 2).toReversed())
  return swapped
}
