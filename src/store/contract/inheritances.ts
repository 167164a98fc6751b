import type { ItemRef } from '../../model/handoff/item.ts'

/** Who is being shown which files, until that is confirmed; and what it cost. */
export interface InheritanceShelf {
  get(id: string): Promise<InheritanceRecord | undefined>
  /**
   * Not closed yet, on one machine, whose projects may share a box. Until the transaction ends nobody else opens one
   * there.
   */
  open(params: { readonly machine: string }): Promise<readonly InheritanceRecord[]>
  /** Not closed yet, of one session. */
  ofSession(params: { readonly sessionId: string }): Promise<readonly InheritanceRecord[]>
  insert(params: { readonly record: InheritanceRecord }): Promise<void>
  /** False where it is closed, or there is none. */
  setPrinted(params: { readonly id: string; readonly at: number }): Promise<boolean>
  /** False where it was closed before. */
  close(params: { readonly id: string; readonly at: number; readonly outcome: InheritanceOutcome }): Promise<boolean>
  /** Over the last hundred that were inherited. */
  cost(params: RootRef): Promise<{ readonly inheritances: number; readonly tokens: number }>
  /** Projects that were set up, so that those who are not at this machine can name no other folder of it. */
  addRoot(params: RootRef & { readonly at: number; readonly by: string }): Promise<void>
  hasRoot(params: RootRef): Promise<boolean>
  roots(params: { readonly machine: string }): Promise<readonly string[]>
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
  /** It could not be understood, and was shown raw. */
  readonly isRaw: boolean
  /** Of the file as it was shown. */
  readonly digest?: string | undefined
}
