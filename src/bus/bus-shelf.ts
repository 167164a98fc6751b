import type { BusFault, BusPage, BusRotation, BusStatus, BusVerification } from '../model/bus/bus.ts'
import type { BusAttachment, BusEntry, BusPlace, EntryDraft } from '../model/bus/entry.ts'

/**
 * The files of the buses, as the heart sees them. Ids of projects and tasks are checked before they come here; paths are
 * made of nothing else. Fails with BUS_NOT_FOUND where a bus that is read does not exist, BUS_BUSY where its lock is not
 * to be had within ten seconds, and BUS_UNUSABLE where the file cannot be read or written, or is no plain file.
 */
export interface BusShelf {
  /**
   * Formats an entry, or refuses it (BUS_ENTRY_INVALID). Nothing is written before `append` is called on the result, and
   * that never fails because of what the entry says. The caller leaves the bytes of the body alone until it resolves.
   */
  prepare(place: BusPlace, draft: EntryDraft): PreparedEntry

  /**
   * Prepares an entry and writes it at the end, under the lock of its file: whole and on the disk when this resolves, and
   * never without its neighbours before it. Ids rise within a bus. Those that are written at once in this process share
   * one wait for the disk. What a dying writer left half done is closed first, so that it can neither hide nor become
   * anything.
   */
  append(place: BusPlace, draft: EntryDraft): Promise<AppendedEntry>

  /**
   * Entries in the order of the files, archives first. `after` an id that the bus does not have fails with
   * BUS_ENTRY_NOT_FOUND. Reads no more than it needs: neither what lies before nor all of a large file.
   */
  read(place: BusPlace, query: ShelfQuery): Promise<BusPage>

  /** The same after an id that may be gone: it then goes on after what comes before it by its time, with `hasGap`. */
  readOn(place: BusPlace, query: ShelfQuery & { readonly after: string }): Promise<BusPage>

  /** One entry by its id; undefined where the bus does not have it, or is not there at all. */
  find(place: BusPlace, msgId: string): Promise<BusEntry | undefined>

  /** Resolves when any of the buses may have changed since the call, also by other programs; or the time is over. */
  changed(
    places: readonly BusPlace[],
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<void>

  /** Whether the bus has a file, if only an empty one. */
  exists(place: BusPlace): Promise<boolean>
  /** The id of the last entry; undefined where there is none, or no bus. */
  lastId(place: BusPlace): Promise<string | undefined>
  list(): Promise<readonly BusStatus[]>
  verify(place: BusPlace): Promise<BusVerification>
  rotate(place: BusPlace, options: { readonly overBytes?: number }): Promise<BusRotation>

  /** Finds a name of their own for bytes that go into the folder of a bus. Nothing is written before `keep` is called. */
  prepareAttachment(place: BusPlace, file: AttachmentData): PreparedAttachment
  /** What lies in the folder already, with its size and checksum. Refuses what leads out of it (ATTACHMENT_REFUSED). */
  attached(place: BusPlace, path: string): Promise<BusAttachment>

  /** Writes what waits to be written and ends every wait. A later read fails, so that followers end too. */
  close(): void
}

/** An entry that can be written, and is not yet. */
export interface PreparedEntry {
  append(): Promise<AppendedEntry>
}

export interface AttachmentData {
  readonly name: string
  readonly bytes: Uint8Array
}

export interface PreparedAttachment {
  readonly attachment: BusAttachment
  keep(): Promise<void>
}

export interface AppendedEntry {
  readonly msg_id: string
  readonly ts: string
  /** What was found half written before it, and closed. */
  readonly repaired: BusFault | undefined
}

export interface ShelfQuery {
  readonly after?: string
  readonly tail?: number
  /** At most so many entries, and so many bytes of them, but at least one. */
  readonly limit: number
  readonly maxBytes: number
}
