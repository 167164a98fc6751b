import type { CreateDecision } from '../decisions.ts'
import type { BusAttachment, BusEntry, BusLink, BusMeta, BusParent, BusPlace } from './entry.ts'
import type { IssueGraph } from './issue.ts'

/** The logs of projects and tasks. The files are the truth; nothing of them is kept in the store. */
export interface Bus {
  /**
   * Writes an entry at the end of a bus, which is made if need be; it is on the disk when this resolves. Who writes is
   * the caller, in `meta.from`. With `to` the named agents get a message that points to it; with `ask` a QUESTION opens a
   * decision, and an ANSWER to such a question answers it.
   */
  post(input: PostEntry): Promise<PostedEntry>
  /** Entries in the order of the file, or of two buses by time. What cannot be read is left out and told. */
  read(input: ReadBus): Promise<BusPage>
  /** The same after a cursor, as soon as there is something, or nothing when the time is over. */
  wait(input: WaitForEntries): Promise<BusPage>
  /** Every bus below the root. */
  list(input?: { readonly project_id?: string }): Promise<readonly BusStatus[]>
  /** The issues of a bus as its log tells them: which are ready, what blocks the others. */
  issues(input: BusPlace): Promise<IssueGraph>
  /** Reads all of a bus and tells what is wrong with it. */
  verify(input: BusPlace): Promise<BusVerification>
  /** Sets aside what is there, as an archive beside it, so that the file begins anew. Cursors stay good. */
  rotate(input: RotateBus): Promise<BusRotation>
}

export interface PostEntry extends BusPlace {
  /** `USER` where none is named. */
  readonly type?: string
  /** One of `body`, `message` (the seed's name for it) and `body_base64`. */
  readonly body?: string
  readonly message?: string
  readonly body_base64?: string
  readonly run_id?: string
  readonly issue_id?: string
  /** Ids alone mean "comes after". */
  readonly parents?: readonly (BusParent | string)[]
  readonly attachment_path?: string
  readonly attachments?: readonly NewAttachment[]
  readonly links?: readonly BusLink[]
  readonly meta?: BusMeta
  /** Agents whose inbox gets a message that points to the entry. */
  readonly to?: readonly string[]
  /** People who are asked; where nobody is named, the owners. A QUESTION opens a decision that holds the caller's agent. */
  readonly ask?: readonly string[]
  readonly options?: NonNullable<CreateDecision['options']>
  /** Of an ANSWER to a question that opened a decision: the option that is chosen. */
  readonly select?: string
}

/** Something that lies in the folder already, or its bytes, which are put there under a name of their own. */
export interface NewAttachment extends Omit<BusAttachment, 'path' | 'size_bytes' | 'sha256'> {
  readonly path?: string
  readonly name?: string
  /** Base64. */
  readonly data?: string
}

export interface PostedEntry {
  readonly msg_id: string
  readonly ts: string
  /** What the writer should know, such as that the body had better be attached. */
  readonly warnings: readonly string[]
  /** The inbox message that points to the entry, and the decision that it opened or answered. */
  readonly messageId: string | null
  readonly decisionId: string | null
}

export interface ReadBus extends BusPlace {
  /**
   * Only what comes after this entry; unknown: refused. Absent or empty: from the beginning. Of two buses, also
   * `<id of the project>,<id of the task>`, where either may be empty, and commas and percent signs are escaped as in a URL.
   */
  readonly after?: string
  /** Only the last so many; 0: all. Not together with `after`. */
  readonly tail?: number
  readonly limit?: number
  /** Only entries of these types; older names count as what they mean. */
  readonly types?: readonly string[]
  readonly issue_id?: string
  readonly run_id?: string
  /** The bus of the task and that of its project in one, by time. */
  readonly merged?: boolean
}

/**
 * Without `after` it begins with the first entry, as reading does; whoever wants only what is new reads the last one first.
 * A bus that is not there yet may still come.
 */
export interface WaitForEntries extends Omit<ReadBus, 'tail'> {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface BusPage {
  readonly items: readonly BusEntry[]
  /** Read on after it: the last entry that was looked at; null where the bus has none. */
  readonly cursor: string | null
  /** Of two buses: the cursor right after each of the items. */
  readonly cursors?: readonly string[]
  /** True where the limit, and not the end of the bus, ended the page. */
  readonly hasMore: boolean
  /**
   * True where something after the cursor may be missing: its entry is gone (only while waiting), or it is a one-line
   * record and two files of the bus hold its number. The page then goes on after the newer one.
   */
  readonly hasGap: boolean
  /** Parts of the file, among those that were read, that are no entries. */
  readonly faults: readonly BusFault[]
}

/** A part of a file that is no entry, or a damaged one. Its neighbours are not harmed by it. */
export interface BusFault {
  /** The name of the file within its folder. */
  readonly file: string
  readonly offset: number
  readonly bytes: number
  /** The id that it seems to have. */
  readonly msg_id?: string
  /** Why, as the end of a sentence: `its body is shorter than it says`. */
  readonly reason: string
}

export interface BusStatus extends BusPlace {
  readonly bytes: number
  readonly lastId: string | null
  readonly changedAt: number
}

export interface BusVerification extends BusPlace {
  readonly isSound: boolean
  readonly entries: number
  readonly bytes: number
  readonly files: readonly string[]
  /** At most 1,000 of them. */
  readonly faults: readonly BusFault[]
  /** True where the ids rise from entry to entry; where they do not, cursors are found by reading. */
  readonly isSorted: boolean
}

export interface RotateBus extends BusPlace {
  /** Only where the file is larger. */
  readonly overBytes?: number
}

export interface BusRotation extends BusPlace {
  /** The name of the archive; null where there was nothing to set aside. */
  readonly archive: string | null
  readonly bytes: number
}
