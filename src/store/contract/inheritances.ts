import type { ItemRef } from '../../model/handoff/item.ts'

/**
 * Offers of handoff files: who is being shown which, until that is confirmed, and what it cost. The files are the truth;
 * a row only keeps others from being shown the same file. An offer is closed once: `close` tells who was first.
 */
export interface InheritanceShelf {
  get(id: string): Promise<InheritanceRecord | undefined>
  /**
   * The open offers of one machine, oldest first. Its projects may share a box, so until the transaction ends nobody
   * else can open an offer there.
   */
  open(params: { readonly machine: string }): Promise<readonly InheritanceRecord[]>
  /** The open offers of one session, oldest first. */
  ofSession(params: { readonly sessionId: string }): Promise<readonly InheritanceRecord[]>
  /** Call `open` in the same transaction first: the shelf does not check whether another offer has a file. */
  insert(params: { readonly record: InheritanceRecord }): Promise<void>
  /** False if the offer is closed or does not exist. */
  setPrinted(params: { readonly id: string; readonly at: number }): Promise<boolean>
  /** False if the offer was closed before or does not exist. */
  close(params: { readonly id: string; readonly at: number; readonly outcome: InheritanceOutcome }): Promise<boolean>
  /** The tokens of a project's last hundred offers that were inherited. */
  cost(params: RootRef): Promise<{ readonly inheritances: number; readonly tokens: number }>
  /** Notes that a project was set up. A caller from another machine can then name no other folder. Repeatable. */
  addRoot(params: HostRootRef & { readonly at: number; readonly by: string }): Promise<void>
  hasRoot(params: HostRootRef): Promise<boolean>
  /** By path; at most 10,000. */
  roots(params: { readonly host: string }): Promise<readonly string[]>
}

/** A project on a host. Unlike the name of a machine, that of a host survives a reboot. */
export interface HostRootRef {
  readonly host: string
  readonly root: string
}

export interface RootRef {
  readonly machine: string
  readonly root: string
}

export type InheritanceOutcome = 'inherited' | 'released'

export interface InheritanceRecord extends RootRef {
  readonly id: string
  readonly agent: string | null
  readonly sessionId: string | null
  readonly items: readonly OfferedItem[]
  readonly tokens: number
  readonly offeredAt: number
  readonly printedAt: number | null
  readonly closedAt: number | null
  readonly outcome: InheritanceOutcome | null
}

export interface OfferedItem extends ItemRef {
  /** The file could not be parsed and was shown raw. */
  readonly isRaw: boolean
  /** Digest of the file as it was shown. */
  readonly digest?: string | undefined
}
