import { PosternError } from '../model/errors.ts'
import type { Headline, Inheritance } from '../model/handoff/handoff.ts'
import type { HandoffItem } from '../model/handoff/item.ts'
import { renderInheritance } from '../render/handoff.ts'
import { estimateTokens } from '../render/tokens.ts'
import type { HookCall, Verdict } from './handler.ts'
import { findUnread } from './unread-files.ts'

/** With less room than this not even a headline could be shown. */
const LEAST_ROOM = 500
const LEAST_TOKENS = 150
/** A text has no more characters than bytes. */
const BYTES_PER_TOKEN = 3.5
const BYTES_PER_CHARACTER = 3
const TOO_LARGE = 'Some of it is too large to be shown here. Read it with: postern handoff inherit'

/**
 * Shows a session what waits for it, as far as there is room. At the beginning it is also told that nothing waits;
 * anywhere else that would only disturb.
 */
export async function inheritNow(call: HookCall): Promise<Verdict | undefined> {
  const { event, agent, postern, root } = call
  const { sessionId } = event
  const isBeginning = event.name === 'session.start'
  if (!isBeginning && (await postern.hooks.hasInherited({ sessionId }))) return undefined
  const room = roomOf(call)
  if (room.characters < LEAST_ROOM || room.tokens < LEAST_TOKENS) return undefined
  const maxTokens = Math.min(call.handoff().maxTokens, room.tokens, Math.floor(room.characters / BYTES_PER_TOKEN))
  const found = await inProject(postern.handoff.inherit({ project: root, agent, session: sessionId, maxTokens }))
  if (!found) return undefined
  const { news, noteTold: noteShown } = findUnread(call, found)
  const inheritance = { ...found, refused: news }
  if (inheritance.id !== null) return { ...(await show(call, inheritance, room)), noteShown }
  // A folder that is merely called "inbox" is not worth a word.
  const isWorthTelling = inheritance.isInitialised || inheritance.heldBack > 0
  if (!isBeginning || !isWorthTelling || (await postern.hooks.isTold({ sessionId }))) return undefined
  return { context: render(call, inheritance), noteShown }
}

/** Folders of the same names mean nothing where there is no project. */
function inProject(inheriting: Promise<Inheritance>): Promise<Inheritance | undefined> {
  return inheriting.catch((error: unknown) => {
    if (error instanceof PosternError && error.code === 'HANDOFF_OUTSIDE') return undefined
    throw error
  })
}

interface Room {
  readonly characters: number
  readonly tokens: number
}

function roomOf({ host, limits, used, usedTokens }: HookCall): Room {
  const characters = Math.min(host.maxCharacters, limits.drainCharacters) - used
  return { characters, tokens: (host.maxTokens ?? Infinity) - usedTokens }
}

/** What a host would cut is not shown at all, and waits until somebody asks for it: half an item could mean anything. */
async function show(call: HookCall, inheritance: Inheritance, room: Room): Promise<Verdict | undefined> {
  const { id } = inheritance
  if (id === null) return undefined
  const text = mayFit(inheritance, room) ? render(call, inheritance) : undefined
  const fits = text !== undefined && text.length <= room.characters && estimateTokens(text) <= room.tokens
  if (fits) return { context: text, inheritance: id }
  await call.postern.handoff.release({ id, reason: `it is too large for ${call.host.name}` })
  return { context: `${renderWithoutBodies(call, inheritance)}\n${TOO_LARGE}` }
}

/** A single item may take any room. A character takes at most three bytes. */
function mayFit({ tokens }: Inheritance, room: Room): boolean {
  return tokens <= room.tokens && (tokens * BYTES_PER_TOKEN) / BYTES_PER_CHARACTER <= room.characters
}

function render({ settings }: HookCall, inheritance: Inheritance): string {
  return renderInheritance(inheritance, { nonce: settings.nonce() })
}

function renderWithoutBodies(call: HookCall, inheritance: Inheritance): string {
  const waiting = [...inheritance.items.map(headlineOf), ...inheritance.waiting]
  const named = { ...inheritance, items: [], waiting }
  return render(call, { ...named, tokens: estimateTokens(`${render(call, named)}\n${TOO_LARGE}`) })
}

function headlineOf({ box, name, type, from_session, body }: HandoffItem): Headline {
  const [headline = ''] = body.trim().split('\n', 1)
  return { box, name, type, from_session, headline, tokens: estimateTokens(body) }
}
