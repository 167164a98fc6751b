import type { LocalPostern } from '../model/postern.ts'
import type { HookCall } from './handler.ts'
import { findBypasses, forgetBypasses, openShadow, type Shadow, type ShadowOwner } from './shadow.ts'

/**
 * Tells the store, and so a person, of gates that were passed while it could not be read: those of this session, and
 * when a session begins those of all, for some never came back to tell. Told once too often rather than never.
 */
export async function reportBypasses(call: HookCall, home: string, own: Shadow): Promise<void> {
  const { postern, agent, event } = call
  if (own.bypassed.length > 0) await report(postern, { agent, sessionId: event.sessionId }, own)
  if (event.name !== 'session.start') return
  for (const { agent: other, sessionId, ...shadow } of findBypasses(home, Date.now())) {
    if (other === agent && sessionId === event.sessionId) continue
    const owner = { agent: other, sessionId }
    await report(postern, owner, shadow)
    forgetBypasses(openShadow(home, owner), shadow.bypassed)
  }
}

async function report({ hooks }: LocalPostern, owner: ShadowOwner, { bypassed: names }: Shadow): Promise<void> {
  const evidence = 'the store could not be read at the time'
  await hooks.passed({ ...owner, outcome: 'bypassed', names, evidence })
}
