import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gate, GateHook, UnavailablePolicy } from '../model/gate.ts'

/**
 * What a session knew of its strict gates when the store could last be read. It is looked at only while the store cannot
 * be read, so that an open gate is not passed in silence then, and a store that is gone for good traps nobody.
 */
export interface Shadow {
  readonly gates: readonly ShadowGate[]
  /** How often the end of a turn was put off since the store could be read. */
  readonly blocks: number
  /** Gates that were passed meanwhile, which the store must be told. */
  readonly bypassed: readonly string[]
}

export interface ShadowGate {
  readonly name: string
  readonly hook: GateHook
  readonly tool: string | null
  readonly reason: string
  readonly onUnavailable: UnavailablePolicy
}

const NONE: Shadow = { gates: [], blocks: 0, bypassed: [] }

export interface ShadowFile {
  read(): Shadow
  /** Throws nothing: a shadow that cannot be kept only means that less is known later. */
  write(shadow: Shadow): void
}

export function openShadow(home: string, sessionId: string): ShadowFile {
  const folder = join(home, 'shadow')
  const path = join(folder, `${encodeURIComponent(sessionId).replaceAll('.', '%2E')}.json`)
  let known: string | undefined

  return {
    read() {
      try {
        known = readFileSync(path, 'utf8')
        return parseShadow(JSON.parse(known))
      } catch {
        known = undefined
        return NONE
      }
    },
    write(shadow) {
      const isNothing = shadow.gates.length === 0 && shadow.blocks === 0 && shadow.bypassed.length === 0
      const text = JSON.stringify(shadow)
      if (isNothing ? known === undefined : text === known) return
      try {
        if (isNothing) rmSync(path, { force: true })
        else {
          mkdirSync(folder, { recursive: true, mode: 0o700 })
          writeFileSync(`${path}.${process.pid}`, text, { mode: 0o600 })
          renameSync(`${path}.${process.pid}`, path)
        }
        known = isNothing ? undefined : text
      } catch {
        // As said above.
      }
    },
  }
}

/** A file that somebody else has written is as good as none. */
function parseShadow(value: unknown): Shadow {
  const { gates, blocks, bypassed } = value as Record<string, unknown>
  if (!Array.isArray(gates) || typeof blocks !== 'number' || !Array.isArray(bypassed)) return NONE
  const isSound = gates.every(({ name, reason, hook }) =>
    [name, reason, hook].every((each) => typeof each === 'string'),
  )
  return isSound ? { gates, blocks, bypassed: bypassed.map(String) } : NONE
}

export function shadowOf(gates: readonly Gate[]): readonly ShadowGate[] {
  return gates
    .filter(({ mode, state }) => mode === 'strict' && state === 'open')
    .map(({ id, hook, tool, reason, onUnavailable }) => ({ name: id, hook, tool, reason, onUnavailable }))
}
