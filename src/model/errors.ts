import { startOf } from '../kit/pure/cut.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { ERROR_KINDS, type ErrorOutcome, type ErrorRow } from './errors/error-row.ts'
import { errorTable } from './errors/error-table.ts'

export { EXIT } from './errors/error-row.ts'
export { errorTable }

export type ErrorCode = keyof ErrorTable
type ErrorTable = ReturnType<typeof errorTable>

type Detail = string | number | boolean | null | undefined
export type ErrorDetails = Readonly<Record<string, Detail>>

/** The details that a text asks for. A missing one does not compile. */
type Slots<Text extends string> = Text extends `${string}{${infer Slot}}${infer Rest}`
  ? SlotOf<Slot> & Slots<Rest>
  : unknown
type SlotOf<Slot extends string> = Slot extends `"${infer Name}"`
  ? { readonly [name in Name]: unknown }
  : Slot extends `${infer Name}?`
    ? { readonly [name in Name]?: string | undefined }
    : { readonly [name in Slot]: string | number }
type DetailsOf<Code extends ErrorCode> = Both<
  Code extends ErrorCode ? (details: Slots<`${ErrorTable[Code]['text']}${ErrorTable[Code]['next']}`>) => void : never
>
/** One of several codes needs the details of all of them. */
type Both<Takers> = [Takers] extends [(details: infer Details) => void] ? Details : never

type MoreDetails = Readonly<Record<string, unknown>>
type ErrorArguments<Code extends ErrorCode> =
  unknown extends DetailsOf<Code>
    ? [details?: MoreDetails, options?: ErrorOptions]
    : [details: DetailsOf<Code> & MoreDetails, options?: ErrorOptions]

/** The only error that leaves Postern. Its message is the table's text; `next` says what to do. */
export interface PosternError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails
  readonly next: string
  readonly exit: number
  readonly http: number
  readonly retryable: boolean
}

interface PosternErrorConstructor {
  new <Code extends ErrorCode>(code: Code, ...more: ErrorArguments<Code>): PosternError
  readonly prototype: PosternError
}

export const PosternError: PosternErrorConstructor = class PosternError extends Error {
  readonly code: ErrorCode
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: MoreDetails = {}, options: ErrorOptions = {}) {
    super(fillText(errorTable()[code].text, details), options)
    this.name = 'PosternError'
    this.code = code
    this.details = Object.fromEntries(Object.entries(details).map(([name, value]) => [name, toDetail(value)]))
  }

  get next(): string {
    return fillText(errorTable()[this.code].next, this.details)
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

/** Builds an error from a code and details that are known only at run time, such as those that a server sent. */
export function errorOf(code: ErrorCode, details: ErrorDetails): PosternError {
  return Reflect.construct(PosternError, [code, details])
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
  if (/\buv_cwd\b/.test(reason))
    return new PosternError('USAGE', {
      message: 'The working folder was removed.',
      next: 'Change to a folder that exists, and run the command again.',
    })
  return new PosternError('INTERNAL', { reason: reason.replace(/\.$/, '') }, { cause: thrown })
}

/**
 * Fills the slots of a text. Details may hold text of another author, so each is cut and its control characters are made
 * visible. No slot leaves a hole: a refused value that was not given reads as `is missing` or `is empty`.
 */
export function fillText(template: string, details: MoreDetails): string {
  return template.replace(SLOT, (_, quote: string, name: string, optional: string, refusal = '') => {
    const value = toDetail(details[name])
    if (optional) return showDetail(value ?? '')
    if (quote && (value === undefined || value === null || value === ''))
      return value === '' ? 'is empty' : 'is missing'
    if (value === '') return `(empty)${refusal}`
    const shown = showDetail(value)
    return `${typeof value === 'string' && quote ? `"${shown}"` : shown}${refusal}`
  })
}

const SLOT = /\{("?)(\w+)"?(\??)\}( is not valid)?/g

function toDetail(value: unknown): Detail {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  if (value == null || typeof value === 'boolean' || Number.isFinite(value)) return value as Detail
  return String(value)
}

function showDetail(value: Detail): string {
  // A sentence that quotes something long stays one.
  const text = String(value ?? 'unknown').replace(/[^\s"]{301,}/g, cutDetail)
  return (text.length > 300 ? cutDetail(text) : text).replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

function cutDetail(text: string): string {
  return `${startOf(text, 80)}… (${text.length} characters)`
}
