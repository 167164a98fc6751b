import { PosternError } from '../../model/errors.ts'

type NotFound = 'MESSAGE_NOT_FOUND' | 'OFFER_NOT_FOUND' | 'GATE_NOT_FOUND' | 'DECISION_NOT_FOUND'

const MAX_CHARACTERS = 200

/** What no store can hold names nothing: it is answered like any other unknown id, and never reaches an engine. */
export function requireStorable(id: string, code: NotFound): void {
  if (id.length > MAX_CHARACTERS || !id.isWellFormed() || id.includes('\0')) throw new PosternError(code, { id })
}
