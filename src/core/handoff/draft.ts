import type { HandoffRoot, ItemDraft } from '../../handoff/handoff-shelf.ts'
import { startOf } from '../../kit/pure/cut.ts'
import { parseAgentId } from '../../model/agent.ts'
import { PosternError } from '../../model/errors.ts'
import type { LeaveItem } from '../../model/handoff/handoff.ts'
import { HANDOFF_LIMITS, parseItemPriority, parseItemType } from '../../model/handoff/item.ts'
import { parseText, utf8Length } from '../../model/text.ts'

/** Of the bytes of a file, for what stands before its text. */
const HEADER_BYTES = 1_500
const TEXT_BYTES = HANDOFF_LIMITS.itemBytes - HEADER_BYTES
const SESSION_BYTES = 300
const REPO = /^[A-Za-z0-9._-]{1,100}$/

/** What somebody wants to leave, as far as it can be judged without looking anywhere. */
export type ItemWords = Pick<ItemDraft, 'type' | 'priority' | 'body' | 'to' | 'to_repo' | 'isShared'>

export function parseWords(input: LeaveItem): ItemWords {
  const type = parseItemType(input.type)
  if (type !== 'thread' && (input.plan !== undefined || input.gate)) {
    throw invalid('only a thread can open a plan or a gate')
  }
  return {
    type,
    priority: parseItemPriority(input.priority ?? 'medium'),
    body: parseBody(input.text, TEXT_BYTES),
    to: input.to === undefined ? null : parseAgentId(input.to),
    to_repo: typeof input.toRepo === 'string' ? parseRepo(input.toRepo) : null,
    isShared: input.toRepo !== undefined,
  }
}

export function parseBody(text: string, limit: number): string {
  const body = parseText('text', text, Number.MAX_SAFE_INTEGER)
  if (body.trim() === '') throw invalid('it has no text')
  const bytes = utf8Length(body)
  if (bytes > limit) throw invalid(`its text has ${bytes} bytes, and at most ${limit} are allowed`)
  return body
}

function parseRepo(name: string): string {
  if (REPO.test(name) && !/^\.+$/.test(name)) return name
  throw invalid('a repository is named by letters, digits, ".", "_" and "-"')
}

/** An item that is for its own repository alone would wait for ever where only others look. */
export function requireSharing({ sharedInbox, repo }: HandoffRoot, { isShared, to_repo }: ItemWords): void {
  if (isShared && sharedInbox === null) throw invalid('there is no inbox that repositories share')
  if (to_repo === repo) throw invalid(`it is left in ${repo} itself`)
}

/** The session that leaves something; where none is named, the day and the branch. */
export function sessionOf(named: string | undefined, { branch }: HandoffRoot, now: number): string {
  if (named !== undefined) return parseSessionWords(named)
  const word = branch && startOf(branch.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-'), 100)
  return [dayOf(now), ...(word ? [word] : [])].join('-')
}

export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10)
}

function parseSessionWords(written: string): string {
  const words = parseText('session', written, SESSION_BYTES).trim()
  if (words !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(words)) return words
  throw invalid('a session is named by visible words on one line')
}

export function invalid(reason: string): PosternError {
  return new PosternError('HANDOFF_ITEM_INVALID', { reason })
}
