import { forgetBypasses, NO_SHADOW, openShadow } from '../host/shadow.ts'
import { startOf } from '../kit/pure/cut.ts'
import type { PassedGates } from '../model/gates.ts'
import type { KnownBypasses } from './bypasses.ts'
import type { HookCall } from './handler.ts'
import { findLeft, type LeftMark } from './pending.ts'
import { isRefusal } from './refusal.ts'
import {
  countShadows,
  findBypasses,
  isOld,
  listShadows,
  openCopy,
  removeShadow,
  type ShadowedSession,
} from './shadows.ts'

/** Reports the passes of the session itself. */
export async function reportOwn(call: HookCall, { home, shadow, own, place }: KnownBypasses): Promise<void> {
  const owner = { agent: call.agent, sessionId: call.event.sessionId }
  await reportLeft(call, findLeft(home, owner), place())
  if (own.bypassed.length === 0) return
  if (!(await isTold(call, { ...owner, ...own }, place()))) return
  forgetBypasses(shadow, own.bypassed)
  openCopy(home, owner).clearCounts()
}

/** Reports what hooks of this machine did not answer, because their hosts ended them. */
async function reportLeft(call: HookCall, left: readonly LeftMark[], place: string): Promise<void> {
  for (const { agent, sessionId, gates, owedTo, claim, forget } of left) {
    const session = { ...NO_SHADOW, agent, sessionId, bypassed: gates, owedTo }
    if (!(await isOwed(call, session, place)) || !claim()) continue
    await report(call, session, 'the host ended the hook before it had answered')
    forget()
  }
}

/** Reports the passes of all other sessions. Those of another store wait until it is back, or for as long as files are kept. */
export async function reportOthers(call: HookCall, home: string, place: string): Promise<void> {
  const { agent, event } = call
  const now = Date.now()
  await reportLeft(call, findLeft(home), place)
  for (const session of findBypasses(home, now)) {
    const { agent: other, sessionId } = session
    if (other === agent && sessionId === event.sessionId) continue
    const owner = { agent: other, sessionId }
    if (isOld(session, now)) {
      // The store that knows the gates has not come back. Better these people are told than none.
      await report(call, session)
      removeShadow(home, owner)
    } else if (await isTold(call, session, place)) {
      forgetBypasses(openShadow(home, owner), session.bypassed)
      openCopy(home, owner).clearCounts()
    }
  }
  await removeSpent(call, home)
  await removeSurplus(call, home)
}

/** So many shadows of other sessions are looked at when one begins. */
const MAX_LOOKED_AT = 20

/** Removes shadows of gates that were closed while their session was silent: while an agent has one, it is never quiet. */
async function removeSpent({ postern, agent, event }: HookCall, home: string): Promise<void> {
  const own = listShadows(home).filter((each) => each.agent === agent && each.sessionId !== event.sessionId)
  for (const { sessionId, ...shadow } of own.slice(0, MAX_LOOKED_AT)) {
    if (shadow.gates.length === 0 || shadow.bypassed.length + shadow.blocks > 0) continue
    const owner = { agent, sessionId }
    const { gates, store, isReplaced } = await postern.hooks.standing({ ...owner, known: shadow })
    if (!isReplaced && store === shadow.store && gates.length === 0) removeShadow(home, owner)
  }
}

/**
 * Reports the passes of one session, if they are this store's to record. True if the store knows of them now, or never
 * will. Fails only if the store cannot be reached.
 */
async function isTold(call: HookCall, session: ShadowedSession, place: string): Promise<boolean> {
  if (!(await isOwed(call, session, place))) return false
  await report(call, session)
  return true
}

/**
 * Whether this store must be told: it knows the gates, or it has taken the place of the store that did. The people of
 * another live store would be told of gates that they have never heard of.
 */
async function isOwed({ postern }: HookCall, session: ShadowedSession, place: string): Promise<boolean> {
  const { agent, sessionId, owedTo } = session
  const standing = await postern.hooks.standing({ agent, sessionId, known: session }).catch((error: unknown) => {
    // An agent or a session that cannot be.
    if (isRefusal(error)) return undefined
    throw error
  })
  if (owedTo?.id != null && owedTo.id === standing?.store) return true
  if (owedTo?.place != null && owedTo.place !== place) return false
  return standing?.isReplaced !== true
}

/** A store takes so many names at once. */
const BATCH = 100
const NAME_CHARACTERS = 50
/** In place of a session that cannot be named. */
const NO_SESSION = 'unknown'

/** A refusal is for good: the people are told without the session then, and a report that is refused even so is only noted. */
async function report(
  call: HookCall,
  { agent, sessionId, bypassed }: ShadowedSession,
  evidence = 'the store could not be read at the time',
): Promise<void> {
  for (let at = 0; at < bypassed.length; at += BATCH) {
    const names = bypassed.slice(at, at + BATCH)
    const pass: PassedGates = { agent, sessionId, outcome: 'bypassed', names, evidence }
    const short = names.map((name) => startOf(name, NAME_CHARACTERS))
    if (await isAccepted(call, pass)) continue
    await isAccepted(call, { ...pass, sessionId: NO_SESSION, names: short })
  }
}

async function isAccepted({ postern, note }: HookCall, pass: PassedGates): Promise<boolean> {
  try {
    await postern.hooks.passed(pass)
    return true
  } catch (error) {
    if (!isRefusal(error)) throw error
    note(error)
    return false
  }
}

/** As many as an agent has open sessions, unless the configuration allows more. */
const MAX_SHADOWS = 100

/**
 * Sessions that were killed, or ended because their agent had too many, leave their shadows behind. If there are many, those
 * of sessions that are not open any more are removed. Gates of another store wait until it is back.
 */
async function removeSurplus({ postern, agent, event }: HookCall, home: string): Promise<void> {
  if (countShadows(home) <= MAX_SHADOWS) return
  const own = listShadows(home).filter((each) => each.agent === agent && each.sessionId !== event.sessionId)
  if (own.length < MAX_SHADOWS) return
  const open = new Set((await postern.sessions.list({ agent })).map(({ id }) => id))
  for (const { sessionId, ...shadow } of own) {
    if (open.has(sessionId) || shadow.bypassed.length > 0) continue
    const owner = { agent, sessionId }
    if (!(await postern.hooks.standing({ ...owner, known: shadow })).isReplaced) removeShadow(home, owner)
  }
}
