import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  formatShadow,
  NO_SHADOW,
  openShadow,
  parseShadow,
  type Shadow,
  type ShadowOwner,
  shadowName,
  withPasses,
} from '../host/shadow.ts'
import { SHADOW_ENDING, shadowCopiesOf } from '../host/shadow-copies.ts'
import { SHADOW_FOLDER } from '../model/quiet.ts'

const HOUR_MS = 60 * 60 * 1000

/** Sessions that ended without a word leave theirs behind. */
const KEPT_MS = 30 * 24 * HOUR_MS

/** A session with what is known of it. */
export type ShadowedSession = ShadowOwner & Shadow

/** Sessions with passes that the store does not know yet. Shadows that nobody needs any more are removed. */
export function findBypasses(home: string, now: number): readonly ShadowedSession[] {
  return listShadows(home).filter((session) => {
    if (session.bypassed.length > 0) return true
    // A killed session leaves its count behind, which would keep its agent from ever being quiet.
    const keptMs = session.gates.length === 0 ? HOUR_MS : KEPT_MS
    if (now - session.changedAt > keptMs) removeShadow(home, session)
    return false
  })
}

/** Whether a shadow has been left for so long that whoever it speaks of is not coming back. */
export function isOld({ changedAt }: Shadow, now: number): boolean {
  return now - changedAt > KEPT_MS
}

/** Every session that has a shadow in a home, with passes that only its copy tells of. */
export function listShadows(home: string): readonly ShadowedSession[] {
  return listFiles(join(home, SHADOW_FOLDER)).flatMap((path) => {
    try {
      const { agent, sessionId } = JSON.parse(readFileSync(path, 'utf8')) as ShadowOwner
      if (typeof agent !== 'string' || typeof sessionId !== 'string') return []
      const shadow = openShadow(home, { agent, sessionId }).read()
      return [{ agent, sessionId, ...openCopy(home, { agent, sessionId }).addPasses(shadow) }]
    } catch {
      // Somebody has just changed or removed it.
      return []
    }
  })
}

/** How many sessions have a shadow in a home. */
export function countShadows(home: string): number {
  return listFiles(join(home, SHADOW_FOLDER)).length
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith(SHADOW_ENDING) ? [join(folder, name)] : []))
  } catch {
    return []
  }
}

export function removeShadow(home: string, owner: ShadowOwner): void {
  rmSync(join(home, SHADOW_FOLDER, shadowName(owner)), { force: true })
  shadowCopiesOf(home).write(shadowName(owner), undefined)
}

const TOLD_ENDING = '.told'

/** Whether a host has not been told of this in the session; from now on it has. True if that cannot be noted anywhere. */
export function isNews(home: string, owner: ShadowOwner, what: string): boolean {
  const copies = shadowCopiesOf(home)
  const name = `${shadowName(owner)}${TOLD_ENDING}`
  const told = copies.read(name)?.split('\n') ?? []
  if (told.includes(what)) return false
  copies.write(name, [...told, what].join('\n'))
  return true
}

/** A session that has ended is told again when it goes on. */
export function forgetNews(home: string, owner: ShadowOwner): void {
  shadowCopiesOf(home).write(`${shadowName(owner)}${TOLD_ENDING}`, undefined)
}

const BLOCK_BYTES = 512

/**
 * Writes a shadow into the room that its file has already, as on a full disk: whole or not at all. Spaces after JSON mean
 * nothing. Throws nothing; false if it does not fit.
 */
export function overwriteShadow(home: string, owner: ShadowOwner, shadow: Shadow): boolean {
  const path = join(home, SHADOW_FOLDER, shadowName(owner))
  try {
    const text = formatShadow(owner, shadow) ?? ''
    const { size, blocks } = statSync(path)
    if (Buffer.byteLength(text) > Math.max(size, blocks * BLOCK_BYTES)) return false
    writeFileSync(path, text.padEnd(size), { flag: 'r+' })
    return true
  } catch {
    return false
  }
}

/** The copy of one session's shadow outside of the home. */
export interface ShadowCopy {
  read(): Shadow
  /** Throws nothing. False if nothing can be written. */
  write(shadow: Shadow): boolean
  /** Copies the gates if they have changed. Stops are counted in the home as long as it can be written. */
  keep(shadow: Shadow): void
  /** Removes the stops and passes that the copy has noted. Called once the store knows of them. */
  clearCounts(): void
  /** Adds the passes that were noted while the home could not be written, of gates that the home knows. */
  addPasses(shadow: Shadow): Shadow
}

export function openCopy(home: string, owner: ShadowOwner): ShadowCopy {
  const copies = shadowCopiesOf(home)
  const name = shadowName(owner)
  const read = () => parseShadow(copies.read(name)) ?? NO_SHADOW
  const write = (shadow: Shadow) => copies.write(name, formatShadow(owner, shadow))

  return {
    read,
    write,
    keep({ folder, store, place, gates }) {
      const present = read()
      const kept = gates.length === 0 ? NO_SHADOW : { ...present, folder, store, place, gates }
      if (formatShadow(owner, kept) !== formatShadow(owner, present)) write(kept)
    },
    clearCounts() {
      const { blocks, bypassed, ...present } = read()
      if (blocks + bypassed.length > 0) write({ ...present, blocks: 0, bypassed: [], owedTo: null })
    },
    addPasses(shadow) {
      const passed = read().bypassed.filter((each) => shadow.gates.some((gate) => gate.name === each))
      return withPasses(shadow, passed)
    },
  }
}
