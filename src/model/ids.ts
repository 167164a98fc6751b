import { type ErrorCode, PosternError } from './errors.ts'

type NotFound = Extract<ErrorCode, `${string}_NOT_FOUND`>

const MAX_CHARACTERS = 200

/** What no store can hold names nothing: it is answered like any other unknown id, and never reaches an engine. */
export function requireStorable(id: string, code: NotFound): void {
  if (id.length > MAX_CHARACTERS || !id.isWellFormed() || id.includes('\0')) throw new PosternError(code, { id })
}
