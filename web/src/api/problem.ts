/** What the server refuses with, in its own words: what happened, and what to do next. */
export class Problem extends Error {
  readonly code: string
  readonly status: number
  readonly next: string | undefined

  constructor({ code, status, detail, next }: ProblemParts) {
    super(detail)
    this.name = 'Problem'
    this.code = code
    this.status = status
    this.next = next
  }
}

interface ProblemParts {
  readonly code: string
  readonly status: number
  readonly detail: string
  readonly next?: string | undefined
}

export const UNREACHABLE = 'SERVER_UNAVAILABLE'

export function unreachable(): Problem {
  return new Problem({
    code: UNREACHABLE,
    status: 0,
    detail: 'The server does not answer.',
    next: 'See whether "postern serve" still runs. This page goes on by itself as soon as it is there again.',
  })
}

/** Reads problem+json; what is none, from something that stands before the server, is said as it is. */
export function parseProblem(status: number, body: string): Problem {
  const parts = readObject(body)
  const text = (name: string) => (typeof parts[name] === 'string' ? parts[name] : undefined)
  return new Problem({
    code: text('code') ?? 'INTERNAL',
    status,
    detail: text('detail') ?? `The server answers with ${status}, and says no more.`,
    next: text('next'),
  })
}

export function asProblem(thrown: unknown): Problem {
  if (thrown instanceof Problem) return thrown
  const detail = thrown instanceof Error ? thrown.message : String(thrown)
  return new Problem({ code: 'PAGE', status: 0, detail, next: 'Load the page again; tell us if it stays so.' })
}

function readObject(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
