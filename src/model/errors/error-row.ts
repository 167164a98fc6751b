/** What a table of errors is made of. */

export interface ErrorRow {
  /** What happened. Words in braces are filled from the error's details. */
  readonly text: string
  /** What to do now. Agents read it, so it never asks for an environment variable to be set. */
  readonly next: string
  readonly http: number
  readonly exit: number
  readonly retryable: boolean
}

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

export const usage = { http: 422, exit: EXIT.usage, retryable: false } as const
export const notFound = { http: 404, exit: EXIT.notFound, retryable: false } as const
export const conflict = { http: 409, exit: EXIT.conflict, retryable: false } as const
export const unavailable = { http: 503, exit: EXIT.unavailable, retryable: true } as const
export const broken = { http: 503, exit: EXIT.unavailable, retryable: false } as const
