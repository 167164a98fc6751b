import type { BusPlace } from '../../model/bus/entry.ts'
import { placeName } from '../../model/bus/place.ts'

/** Where an entry begins: in which file, and at which byte of it. */
export interface Position {
  /** Of the volume. */
  readonly identity: string
  readonly offset: number
}

const MAX_KNOWN = 4_096

/**
 * Where entries were seen, for those who read on after them. Files may have changed since, so that whoever goes to a
 * position looks whether the entry is there.
 */
export class Positions {
  readonly #known = new Map<string, Position>()
  /** The last entry of this process on each bus, kept apart because it changes with every one. */
  readonly #written = new Map<string, Written>()

  get(place: BusPlace, id: string): Position | undefined {
    const name = placeName(place)
    const written = this.#written.get(name)
    return written?.id === id ? written : this.#known.get(`${name} ${id}`)
  }

  remember(place: BusPlace, id: string, position: Position): void {
    const key = `${placeName(place)} ${id}`
    this.#known.delete(key)
    this.#known.set(key, position)
    forgetOldest(this.#known)
  }

  rememberWritten(name: string, written: Written): void {
    this.#written.set(name, written)
    forgetOldest(this.#written)
  }
}

export interface Written extends Position {
  readonly id: string
}

function forgetOldest(known: Map<string, unknown>): void {
  if (known.size <= MAX_KNOWN) return
  const [oldest] = known.keys()
  if (oldest !== undefined) known.delete(oldest)
}
