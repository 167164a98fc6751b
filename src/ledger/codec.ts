import type { LedgerEntry } from '../model/ledger/entry.ts'
import type { VerifyParams, Walk } from './verify.ts'

/** What the heart needs of hashes and compression to speak with a ledger. Nothing here is kept or sent. */
export interface LedgerCodec {
  /** Of a text in UTF-8, in hex. */
  sha256(text: string): string
  /** As an HCS-1 file: the memo of its topic and the entries, each of at most ENTRY_BYTES. */
  encodeFile(file: LedgerFile): { readonly memo: string; readonly entries: readonly string[] }
  /** In whatever order the entries are. Throws LEDGER_ENTRY_INVALID where they are not the whole file. */
  decodeFile(params: { readonly memo: string; readonly entries: readonly string[] }): LedgerFile
  /** The name of an agent as HCS-14 makes it. */
  uaid(params: UaidParams): string
  /** Walks what is held of a topic; undefined where there is no such topic. */
  verifyTopic(params: VerifyParams): Promise<Walk | undefined>
  /** The running hash of an entry in hex, from that of the one before it. */
  runningHash(previous: string, entry: Omit<LedgerEntry, 'runningHash' | 'chunk'>): string
}

export interface LedgerFile {
  readonly mime: string
  readonly content: string
}

export interface UaidParams {
  readonly network: string
  readonly name: string
  readonly version: string
  readonly account: string
  readonly inboundTopicId: string
  readonly capabilities: readonly number[]
}
