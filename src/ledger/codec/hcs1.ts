import * as zlib from 'node:zlib'
import { sha256 } from '../../kit/node/crypto.ts'
import { PosternError } from '../../model/errors.ts'
import { parseFields } from '../../model/ledger/json-fields.ts'
import { type FileAlgorithm, formatFileMemo, parseTopicMemo } from '../../model/ledger/memos.ts'
import type { LedgerFile } from '../codec.ts'

/** The largest file, before it is compressed: the largest payload of a message and what is said about it. */
export const FILE_BYTES = 80 * 1024
/** Characters of one entry's part; with its index and braces it stays below the size of an entry. */
const PART_LENGTH = 1000
/** The best takes eighty times as long, while a transaction waits for it, and saves a tenth of the bytes. */
const COMPRESSION = { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 6 } }
/** Others may cut their files into smaller parts. */
const MAX_PARTS = 1000
const MIME = '[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,60}(?:;[a-z0-9-]{1,20}=[a-z0-9.-]{1,40})?'
const IS_MIME = new RegExp(`^${MIME}$`, 'i')
const PREFIX = new RegExp(`^data:(${MIME});base64,`, 'i')

export function encodeFile({ mime, content }: LedgerFile): { memo: string; entries: string[] } {
  const bytes = Buffer.from(content, 'utf8')
  if (bytes.length > FILE_BYTES)
    throw new PosternError('LEDGER_MESSAGE_TOO_LARGE', { bytes: bytes.length, limit: FILE_BYTES })
  if (!IS_MIME.test(mime)) throw invalid(`${mime} is not a media type`)
  const whole = `data:${mime};base64,${zlib.brotliCompressSync(bytes, COMPRESSION).toString('base64')}`
  const parts = Array.from({ length: Math.ceil(whole.length / PART_LENGTH) }, (_, index) =>
    whole.slice(index * PART_LENGTH, (index + 1) * PART_LENGTH),
  )
  return {
    memo: formatFileMemo(sha256(bytes), 'brotli'),
    entries: parts.map((part, index) => JSON.stringify({ o: index, c: part })),
  }
}

export function decodeFile({ memo, entries }: { memo: string; entries: readonly string[] }): LedgerFile {
  const about = parseTopicMemo(memo)
  if (about?.type !== 'file') throw invalid('the memo of its topic is not that of an HCS-1 file')
  const whole = joinParts(entries)
  const [prefix, mime] = PREFIX.exec(whole) ?? []
  if (prefix === undefined || mime === undefined) throw invalid('its first part does not say what the file is')
  const bytes = decompress(about.algorithm, Buffer.from(whole.slice(prefix.length), 'base64'))
  if (sha256(bytes) !== about.sha256) throw invalid('its content has another hash than the memo of its topic says')
  return { mime, content: readText(bytes) }
}

/** By their indices, for the ledger promises nothing about the order in which they arrive. A part that came twice counts once. */
function joinParts(entries: readonly string[]): string {
  const parts = new Map<number, string>()
  for (const entry of entries) {
    const { o: index, c: part } = parseFields(entry) ?? {}
    if (!Number.isInteger(index) || typeof part !== 'string') throw invalid('an entry is no part of an HCS-1 file')
    if (Number(index) < 0 || Number(index) >= MAX_PARTS) throw tooLarge()
    if (!parts.has(Number(index))) parts.set(Number(index), part)
  }
  const ordered = Array.from({ length: parts.size }, (_, index) => parts.get(index))
  const missing = ordered.indexOf(undefined)
  if (missing >= 0) throw invalid(`part ${missing} is missing`)
  return ordered.join('')
}

/** A few bytes may stand for gigabytes, so it ends where a file must end. */
function decompress(algorithm: FileAlgorithm, bytes: Uint8Array): Uint8Array {
  const unpack = algorithm === 'brotli' ? zlib.brotliDecompressSync : zlib.zstdDecompressSync
  if (unpack === undefined) throw invalid('it is compressed with zstd, which this version of Node.js does not support')
  try {
    return unpack(bytes, { maxOutputLength: FILE_BYTES })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge()
    throw invalid('its content cannot be decompressed', error)
  }
}

function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw invalid('its content is not text', error)
  }
}

function tooLarge(): PosternError {
  return invalid(`the file is larger than ${FILE_BYTES} bytes`)
}

function invalid(reason: string, cause?: unknown): PosternError {
  return new PosternError('LEDGER_ENTRY_INVALID', { reason }, { cause })
}
