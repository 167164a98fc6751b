import { PosternError } from './errors.ts'

type NotFound =
  `${'DECISION' | 'GATE' | 'HANDOFF_OFFER' | 'MESSAGE' | 'OFFER' | 'PLAN' | 'SERVICE' | 'TOKEN'}_NOT_FOUND`

const MAX_CHARACTERS = 200

/** An id that no store can hold names nothing. It is refused like any other unknown id, and never reaches an engine. */
export function requireStorable(id: string, code: NotFound): void {
  if (id.length > MAX_CHARACTERS || !id.isWellFormed() || id.includes('\0')) throw new PosternError(code, { id })
}
