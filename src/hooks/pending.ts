import { type Shadow, type ShadowOwner, type StoreRef, shadowName } from '../host/shadow.ts'
import { shadowCopiesOf } from '../host/shadow-copies.ts'
import { isSameSystem, isStaying, machineName, ownPid } from '../kit/node/processes.ts'
import type { SoundEvent } from './call.ts'
import { concerns } from './unavailable.ts'

/**
 * A hook that its host kills, because the disk took longer than the host waits, cannot say that a gate was passed. So
 * it leaves a mark before it asks the store, and removes it with its answer. A mark whose process is gone tells the next
 * hook. A mark counts only until the machine restarts, which ends the sessions as well.
 */
export interface PendingMark {
  /** The host has the answer. */
  clear(): void
}

/** Gates that a hook was asked about and did not answer for. */
export interface LeftMark extends ShadowOwner {
  readonly gates: readonly string[]
  readonly owedTo: StoreRef
  /** Takes the mark for this process, which reports it. False if another hook did so first. */
  claim(): boolean
  /** The pass was reported. */
  forget(): void
}

export const PENDING_ENDING = '.pending'

/** Longer than any host waits for a hook. Afterwards the process is another one with the same number. */
const LONGEST_MS = 10 * 60 * 1_000

/** Marks that the strict gates of an event are unanswered. Undefined if none concerns it, or no mark can be written. */
export function markPending(
  home: string,
  owner: ShadowOwner,
  shadow: Shadow,
  event: SoundEvent,
): PendingMark | undefined {
  const now = Date.now()
  const gates = shadow.gates.filter((gate) => gate.mode === 'strict' && concerns(gate, event, now))
  if (gates.length === 0) return undefined
  const copies = shadowCopiesOf(home)
  const name = ownName(owner)
  const { store: id, place } = shadow
  const mark = {
    ...owner,
    machine: machineName(),
    at: now,
    gates: gates.map((gate) => gate.name),
    owedTo: { id, place },
  }
  return copies.write(name, JSON.stringify(mark)) ? { clear: () => copies.write(name, undefined) } : undefined
}

let count = 0

function ownName(owner: ShadowOwner): string {
  count++
  return `${shadowName(owner)}.${ownPid()}.${count}${PENDING_ENDING}`
}

/** Marks of hooks that ended without an answer: of one session, or of all. */
export function findLeft(home: string, owner?: ShadowOwner): readonly LeftMark[] {
  const copies = shadowCopiesOf(home)
  const [of, machine, now] = [owner && shadowName(owner), machineName(), Date.now()]
  return copies.list(PENDING_ENDING).flatMap((name) => {
    if (of !== undefined && !name.startsWith(`${of}.`)) return []
    const mark = parseMark(copies.read(name))
    const pid = Number(name.split('.').at(-3))
    const isHere = mark !== undefined && isSameSystem(mark.machine, machine)
    if (!isHere) copies.write(name, undefined)
    if (!isHere || (isStaying(pid) && now - mark.at < LONGEST_MS)) return []
    const { agent, sessionId, gates, owedTo } = mark
    const mine = ownName({ agent, sessionId })
    const claim = () => copies.rename(name, mine)
    return [{ agent, sessionId, gates, owedTo, claim, forget: () => copies.write(mine, undefined) }]
  })
}

interface Mark extends ShadowOwner {
  readonly machine: string
  readonly at: number
  readonly gates: readonly string[]
  readonly owedTo: StoreRef
}

/** Undefined if it has just been removed, or somebody else has written it. */
function parseMark(text: string | undefined): Mark | undefined {
  if (text === undefined) return undefined
  try {
    const mark = JSON.parse(text) as Mark
    const texts = [mark.agent, mark.sessionId, mark.machine, ...mark.gates]
    return texts.every((each) => typeof each === 'string') && typeof mark.at === 'number' && mark.owedTo
      ? mark
      : undefined
  } catch {
    return undefined
  }
}
