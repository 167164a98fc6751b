/** One row of the table of errors: its words, and either a kind or what the doors make of it. */
export type ErrorRow = ErrorWords & (ErrorOutcome | ({ readonly kind: ErrorKind } & Partial<ErrorOutcome>))

interface ErrorWords {
  /** What happened. Words in braces are filled from the error's details. */
  readonly text: string
  /** What to do now. Agents read it, so it never asks for an environment variable to be set. */
  readonly next: string
}

export interface ErrorOutcome {
  readonly http: number
  readonly exit: number
  readonly retryable: boolean
}

export type ErrorKind = 'usage' | 'notFound' | 'conflict' | 'unavailable' | 'broken'

export const EXIT = {
  ok: 0,
  failed: 1,
  notAuthenticated: 4,
  notFound: 5,
  conflict: 6,
  gateOpen: 7,
  timedOut: 8,
  usage: 64,
  unavailable: 69,
  interrupted: 130,
} as const

/** What the doors make of errors of a kind. A row may say otherwise. */
export const ERROR_KINDS: Readonly<Record<ErrorKind, ErrorOutcome>> = {
  usage: { http: 422, exit: EXIT.usage, retryable: false },
  notFound: { http: 404, exit: EXIT.notFound, retryable: false },
  conflict: { http: 409, exit: EXIT.conflict, retryable: false },
  unavailable: { http: 503, exit: EXIT.unavailable, retryable: true },
  broken: { http: 503, exit: EXIT.unavailable, retryable: false },
}
