/**
 * What rings those who wait, in this process, on this machine or elsewhere. Never the truth: that is in the store.
 *
 * A ring is a hint. It may be lost, it may come for nothing, and many may come as one. So a listener asks the store
 *
 *   1. once `listen` has resolved, for what came before it listened;
 *   2. after every ring;
 *   3. from time to time, for what no ring ever told it.
 *
 * A wire that has lost its connection rings every name when it is back, so that rule 2 covers what was missed.
 */
export interface Wire {
  /**
   * Tells all who listen to any of these names. Call it after the commit, never before: who is rung looks at once.
   * It throws or rejects where it could not ring; that is for the log, for what was stored stays stored.
   */
  ring(names: readonly string[]): void | Promise<void>
  /**
   * Resolves once a ring of any of these names would be heard. `onRing` gets the names that may have been rung; it
   * is never called again after `close`.
   */
  listen(names: readonly string[], onRing: OnRing): Promise<Listener>
  /** When the name was last rung, as far as this wire can tell; undefined where it cannot. */
  lastRungAt(name: string): number | undefined
  /** Closes every listener. Safe to call twice. */
  close(): void | Promise<void>
}

export type OnRing = (names: readonly string[]) => void

export interface Listener {
  /** Safe to call twice. Afterwards it keeps no process alive. */
  close(): void | Promise<void>
}

const NAME = /^[a-z0-9@][a-z0-9_@-]*$/

/** Returns the name unchanged, or throws: names become parts of paths and subjects. */
export function parseRingName(name: string): string {
  if (name.length <= 128 && NAME.test(name)) return name
  throw new RangeError(`"${name}" is no name that can be rung`)
}
