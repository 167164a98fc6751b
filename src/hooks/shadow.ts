import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileNameOf } from '../kit/node/file-names.ts'
import type { StandingGate } from '../model/gates.ts'

/**
 * What a session knew of its gates when the store could last be read. It is looked at only while the store cannot
 * be read, so that an open gate is not passed in silence then, and a store that is gone for good traps nobody.
 */
export interface Shadow {
  /** Where the session began, and its configuration is looked for wherever its agent goes; null where nobody knows. */
  readonly folder: string | null
  readonly gates: readonly StandingGate[]
  /** How often the end of a turn was put off since the store could last be read. */
  readonly blocks: number
  /** How often in a row it was put off before that, by the store's count. */
  readonly counted: number
  /** Gates that were passed meanwhile, which the store must be told. */
  readonly bypassed: readonly string[]
}

export interface ShadowOwner {
  readonly agent: string
  readonly sessionId: string
}

export interface ShadowFile {
  read(): Shadow
  /** Throws nothing: a shadow that cannot be kept only means that less is known later. */
  write(shadow: Shadow): void
}

export const NO_SHADOW: Shadow = { folder: null, gates: [], blocks: 0, counted: 0, bypassed: [] }

export const SHADOW_FOLDER = 'shadow'
const ENDING = '.json'

/** Sessions that ended without a word leave theirs behind. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1000

/** Far above any count that a hook writes. */
const MAX_COUNT = 1_000

/** Of one agent in one session: a session that somebody else claims has nothing to do with it. */
export function openShadow(home: string, owner: ShadowOwner): ShadowFile {
  const { agent, sessionId } = owner
  // Whatever they are called, the file lies in the folder.
  const path = join(home, SHADOW_FOLDER, `${fileNameOf(`${agent}.${sessionId}`)}${ENDING}`)
  let known: string | undefined

  return {
    read() {
      known = undefined
      // Mostly there is none, and to fail takes longer than to look.
      if (!existsSync(path)) return NO_SHADOW
      try {
        known = readFileSync(path, 'utf8')
        return parseShadow(JSON.parse(known)) ?? NO_SHADOW
      } catch {
        known = undefined
        return NO_SHADOW
      }
    },
    write({ folder, gates, blocks, bypassed, ...rest }) {
      // A token can have its session count to any number. That must not cost the gates.
      const counted = Math.min(rest.counted, MAX_COUNT)
      const isNothing = gates.length === 0 && blocks === 0 && counted === 0 && bypassed.length === 0
      const text = JSON.stringify({ agent, sessionId, folder, gates, blocks, counted, bypassed })
      if (isNothing ? known === undefined : text === known) return
      try {
        if (isNothing) rmSync(path, { force: true })
        else keep(join(home, SHADOW_FOLDER), path, text)
        known = isNothing ? undefined : text
      } catch {
        // As said above.
      }
    },
  }
}

/** The store knows of these passes now. Others may have been written down meanwhile. */
export function forgetBypasses(file: ShadowFile, told: readonly string[]): Shadow {
  const shadow = file.read()
  const after = { ...shadow, bypassed: shadow.bypassed.filter((name) => !told.includes(name)) }
  file.write(after)
  return after
}

/** Stops are counted on a full disk too. A gate whose stops are not counted would hold its agent for ever. */
function keep(folder: string, path: string, text: string): void {
  try {
    replace(folder, path, text)
  } catch (error) {
    if (!NO_ROOM.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    overwrite(path, text)
  }
}

const NO_ROOM: readonly string[] = ['ENOSPC', 'EDQUOT']

function replace(folder: string, path: string, text: string): void {
  const partial = `${path}.${process.pid}`
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    writeFileSync(partial, text, { mode: 0o600 })
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

const BLOCK_BYTES = 512

/** Uses the room that the file has already, whole or not at all. Spaces after JSON mean nothing. */
function overwrite(path: string, text: string): void {
  const { size, blocks } = statSync(path)
  if (Buffer.byteLength(text) > Math.max(size, blocks * BLOCK_BYTES)) return
  writeFileSync(path, text.padEnd(size), { flag: 'r+' })
}

/** Shadows of any session that tell of a pass which the store does not know yet. Those that nobody needs any more go. */
export function findBypasses(home: string, now: number): readonly (ShadowOwner & Shadow)[] {
  return listFiles(join(home, SHADOW_FOLDER)).flatMap((path) => {
    try {
      const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
      const shadow = parseShadow(value)
      const { agent, sessionId } = value as ShadowOwner
      if (shadow && shadow.bypassed.length > 0 && typeof agent === 'string' && typeof sessionId === 'string')
        return [{ agent, sessionId, ...shadow }]
      if (now - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { force: true })
    } catch {
      // Somebody has just changed or removed it.
    }
    return []
  })
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder).flatMap((name) => (name.endsWith(ENDING) ? [join(folder, name)] : []))
  } catch {
    return []
  }
}

/** A file that somebody else has written is as good as none. */
function parseShadow(value: unknown): Shadow | undefined {
  const { folder, gates, blocks, counted = 0, bypassed } = value as Record<string, unknown>
  if (!Array.isArray(gates) || !Array.isArray(bypassed) || !isCount(blocks) || !isCount(counted)) return undefined
  const isSound = gates.every(({ name, reason, hook }) =>
    [name, reason, hook].every((each) => typeof each === 'string'),
  )
  if (!isSound) return undefined
  return { folder: typeof folder === 'string' ? folder : null, gates, blocks, counted, bypassed: bypassed.map(String) }
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT
}
