import { existsSync } from 'node:fs'
import type { Shadow, ShadowFile } from '../host/shadow.ts'
import { SHADOW_FOLDER } from '../model/quiet.ts'
import type { HookCall } from './handler.ts'

export interface KnownBypasses {
  readonly home: string
  readonly shadow: ShadowFile
  /** What is known of this session. */
  readonly own: Shadow
  /** Where the store lies, as a checksum. */
  readonly place: () => string
}

/**
 * Tells the store, and so a person, of gates that were passed while it could not be read: those of this session, and
 * when a session begins those of all, for some never came back to tell. Told once too often rather than never. Called
 * once the answer is out: whatever becomes of a report, the host has its answer.
 */
export async function reportBypasses(call: HookCall, known: KnownBypasses): Promise<void> {
  const { home, own, place } = known
  const hasOwn = own.bypassed.length + own.gates.length > 0
  const hasOthers = call.event.name === 'session.start' && existsSync(`${home}/${SHADOW_FOLDER}`)
  if (!hasOwn && !hasOthers) return
  const { reportOthers, reportOwn } = await import('./other-bypasses.ts')
  if (hasOwn) await reportOwn(call, known)
  if (hasOthers) await reportOthers(call, home, place())
}
