import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileNameOf } from '../kit/node/file-names.ts'
import { checksumOf } from '../kit/pure/checksum.ts'
import type { StandingGate } from '../model/gates.ts'
import { SHADOW_FOLDER } from '../model/quiet.ts'
import { SHADOW_ENDING } from './shadow-copies.ts'

/**
 * What a session knew of its gates when the store could last be read. While the store cannot be read the hook answers
 * from it, so that an open gate is not passed in silence. It outlives the store: a store that does not know its gates
 * counts as one that cannot be read.
 */
export interface Shadow {
  /** Where the session began, and its configuration is looked for wherever its agent goes; null where nobody knows. */
  readonly folder: string | null
  /** The id of the store that knows the gates; null if an older version wrote this. */
  readonly store: string | null
  /** A checksum of where that store lies; null if an older version wrote this, or there are no gates. */
  readonly place: string | null
  readonly gates: readonly StandingGate[]
  /** How often the end of a turn was put off since the store could last be read. */
  readonly blocks: number
  /** How often in a row it was put off before that, by the store's count. */
  readonly counted: number
  /** Gates that were passed meanwhile, which the store must be told. */
  readonly bypassed: readonly string[]
  /** The store that must be told of them; null if there are none. It may be another than the one that knows the gates now. */
  readonly owedTo: StoreRef | null
  /** When the file was last changed: its gates were open when the store could last be read before that. */
  readonly changedAt: number
}

/** A store, by its id and a checksum of where it lies. */
export interface StoreRef {
  readonly id: string | null
  readonly place: string | null
}

export interface ShadowOwner {
  readonly agent: string
  readonly sessionId: string
}

export interface ShadowFile {
  read(): Shadow
  /** Throws nothing. False if the home cannot be written. */
  write(shadow: Shadow): boolean
}

export const NO_SHADOW: Shadow = {
  folder: null,
  store: null,
  place: null,
  gates: [],
  blocks: 0,
  counted: 0,
  bypassed: [],
  owedTo: null,
  changedAt: 0,
}

/** Far above any count that a hook writes. */
const MAX_COUNT = 1_000

/** Of one agent in one session: a session that somebody else claims has nothing to do with it. */
export function openShadow(home: string, owner: ShadowOwner): ShadowFile {
  const path = join(home, SHADOW_FOLDER, shadowName(owner))
  let known: string | undefined

  return {
    read() {
      known = undefined
      // Mostly there is none, and to fail takes longer than to look.
      const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs
      const text = changedAt === undefined ? undefined : readText(path)
      const shadow = parseShadow(text)
      if (!shadow) return NO_SHADOW
      known = text
      return { ...shadow, changedAt: changedAt ?? 0 }
    },
    write(shadow) {
      const text = formatShadow(owner, shadow)
      try {
        if (text === undefined && known !== undefined) rmSync(path, { force: true })
        if (text !== undefined && text !== known) replace(path, text)
        known = text
        return true
      } catch {
        return false
      }
    },
  }
}

/** Whatever they are called, the file lies in the folder. */
export function shadowName({ agent, sessionId }: ShadowOwner): string {
  return `${fileNameOf(`${agent}.${sessionId}`)}${SHADOW_ENDING}`
}

/** Undefined if there is nothing to know. */
export function formatShadow({ agent, sessionId }: ShadowOwner, shadow: Shadow): string | undefined {
  const { folder, store, place, gates, blocks, bypassed, owedTo } = shadow
  // A caller that opens the store can have a session count to any number. That must not cost the gates.
  const counted = Math.min(shadow.counted, MAX_COUNT)
  if (gates.length === 0 && blocks === 0 && counted === 0 && bypassed.length === 0) return undefined
  return JSON.stringify({ agent, sessionId, folder, store, place, gates, blocks, counted, bypassed, owedTo })
}

/** A checksum of where a store lies, which may hold a password. */
export function placeOf({ store }: { readonly store: string }): string {
  return checksumOf([store]).toString(BASE)
}

const BASE = 36

/** Why a store that does not know the gates of a session is not believed. */
export const REPLACED = 'it was replaced'

/** A shadow with more passes, which the store of its gates must be told unless another is owed passes already. */
export function withPasses(shadow: Shadow, names: readonly string[]): Shadow {
  if (names.length === 0) return shadow
  const { store: id, place, bypassed } = shadow
  return { ...shadow, bypassed: [...new Set([...bypassed, ...names])], owedTo: shadow.owedTo ?? { id, place } }
}

/** The store knows of these passes now. Others may have been written down meanwhile. */
export function forgetBypasses(file: ShadowFile, told: readonly string[]): Shadow {
  const shadow = file.read()
  const bypassed = shadow.bypassed.filter((name) => !told.includes(name))
  const after = { ...shadow, bypassed, owedTo: bypassed.length === 0 ? null : shadow.owedTo }
  file.write(after)
  return after
}

/** Makes the folder, but never the home: an empty home would be in the way of one that is brought back. */
function replace(path: string, text: string): void {
  const folder = dirname(path)
  const partial = `${path}.${process.pid}`
  mkdirSync(folder, { recursive: existsSync(dirname(folder)), mode: 0o700 })
  try {
    writeFileSync(partial, text, { mode: 0o600 })
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Undefined if there is no text, or somebody else has written it. */
export function parseShadow(text: string | undefined): Shadow | undefined {
  if (text === undefined) return undefined
  try {
    const { folder, store, place, gates, blocks, counted = 0, bypassed, owedTo } = JSON.parse(text)
    if (!Array.isArray(gates) || !Array.isArray(bypassed) || !isCount(blocks) || !isCount(counted)) return undefined
    const isSound = gates.every(({ name, reason, hook }) =>
      [name, reason, hook].every((each) => typeof each === 'string'),
    )
    if (!isSound) return undefined
    return {
      folder: textOf(folder),
      store: textOf(store),
      place: textOf(place),
      gates,
      blocks,
      counted,
      bypassed: bypassed.map(String),
      owedTo: bypassed.length === 0 ? null : refOf(owedTo ?? { id: store, place }),
      changedAt: 0,
    }
  } catch {
    return undefined
  }
}

function refOf({ id, place }: Readonly<Record<keyof StoreRef, unknown>>): StoreRef {
  return { id: textOf(id), place: textOf(place) }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT
}
