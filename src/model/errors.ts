import { reasonOf } from '../kit/pure/reason-of.ts'
import { ERROR_KINDS, type ErrorOutcome, type ErrorRow } from './errors/error-row.ts'
import { errorTable } from './errors/error-table.ts'

export { EXIT } from './errors/error-row.ts'
export { errorTable }

export type ErrorCode = keyof ReturnType<typeof errorTable>
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null | undefined>>

/** The only error that leaves Postern. Its message is the table's text followed by the next step. */
export class PosternError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails = {}, options: { readonly cause?: unknown } = {}) {
    super(errorText(code, details), options)
    this.name = 'PosternError'
    this.code = code
    this.details = details
  }

  get next(): string {
    return fill(errorTable()[this.code].next, this.details)
  }
  get exit(): number {
    return outcomeOf(this.code).exit
  }
  get http(): number {
    return outcomeOf(this.code).http
  }
  get retryable(): boolean {
    return outcomeOf(this.code).retryable
  }
}

/** What the doors make of an error: its HTTP status, its exit code, and whether a retry may help. */
export function outcomeOf(code: ErrorCode): ErrorOutcome {
  const row: ErrorRow = errorTable()[code]
  return 'kind' in row ? { ...ERROR_KINDS[row.kind], ...row } : row
}

/** Turns anything thrown into a PosternError, so that no door ever shows a stack trace. */
export function asPosternError(thrown: unknown): PosternError {
  if (thrown instanceof PosternError) return thrown
  const reason = reasonOf(thrown)
  if (/too many open files|EMFILE/.test(reason))
    return new PosternError('STORE_UNAVAILABLE', {
      path: 'or a part of the program',
      reason: 'too many files are open',
    })
  return new PosternError('INTERNAL', { reason: reason.replace(/\.$/, '') }, { cause: thrown })
}

function errorText(code: ErrorCode, details: ErrorDetails): string {
  return fill(errorTable()[code].text, details)
}

/** Details may hold what somebody else wrote, so each is cut and its control characters are made visible. */
function fill(template: string, details: ErrorDetails): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => showDetail(details[name]))
}

function showDetail(value: ErrorDetails[string]): string {
  if (value === undefined || value === null) return ''
  const text = String(value)
  const cut = text.length > 300 ? `${text.slice(0, 80)}… (${text.length} characters)` : text
  return cut.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`)
}
