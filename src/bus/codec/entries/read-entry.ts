import { BUS_LIMITS } from '../../../model/bus/entry.ts'
import { endsWithDashes } from '../dashes.ts'
import { type Header, parseHeader } from '../header/parse-header.ts'
import { isHeaderIntact } from '../header-checksum.ts'
import { readMacClaim } from '../mac.ts'
import { MAX_BODY_BYTES, type Scanned, type ScannedEntry } from '../scanned.ts'
import { beginsEntry, CUT_OFF, isCutOff, seekEntry } from './begin.ts'
import { withoutMarkers } from './conflict.ts'
import { foundEntry, foundFault } from './found.ts'
import { afterBody, readBody, readChecked, readConverted } from './frame.ts'
import { afterRule, type Closing, closingLine, findClosing, type Source } from './source.ts'

/** Null where no entry begins, undefined where more bytes are needed to tell. */
export type Found = Scanned | null | undefined

/** An entry whose header is read. */
interface Opened {
  readonly at: number
  readonly closing: Closing
  readonly header: Header
}

/** The entry that begins at `at`. */
export function readEntry(source: Source, at: number, isInConflict: boolean): Found {
  const from = afterRule(source.text, at)
  if (from < 0) return null
  const closing = findClosing(source, from)
  if (closing === undefined || !closing.isEnded) return readUnended(source, at, closing)
  const header = parseHeader(source, from, closing.at)
  if (typeof header === 'string') return refuse(source, at, closing, header)
  const opened = { at, closing, header }
  const found =
    header.sha256 === undefined ? readForeign(source, opened, isInConflict) : readOurs(source, opened, header.sha256)
  if (found?.kind !== 'entry' || !source.checksHeaders) return found
  return isHeaderIntact(source.text.slice(from, closing.at), header.isChecked) ? found : refuseEdited(found)
}

/** The body is what was written, and shows where the entry ends. Its header is not. */
function refuseEdited({ start, end, entry, closing }: ScannedEntry): Found {
  const reason = 'its header is not what was written'
  return { kind: 'fault', start, end, reason, msgId: entry.msg_id, ...(closing !== undefined && { closing }) }
}

/** A header that nothing closes, or only the last line of the piece. */
function readUnended(source: Source, at: number, closing: Closing | undefined): Found {
  const begins = beginsEntry(source, at)
  if (begins !== 'yes') return begins === 'no' ? null : undefined
  const { text, isLast } = source
  const from = afterRule(text, at)
  const id = idIn(text.slice(from, from + BUS_LIMITS.headerBytes))
  const end = text.length
  if (closing === undefined && end - from > BUS_LIMITS.headerBytes) {
    const reason = `its header is larger than ${BUS_LIMITS.headerBytes} bytes`
    return foundFault(source, { at, end: seekEntry(source, from).at }, reason, id)
  }
  if (!isLast) return undefined
  if (closing !== undefined) return foundFault(source, { at, end, closing: '\n' }, 'its body is cut off', id)
  return foundFault(source, { at, end, closing: closingOfHeader(text) }, 'its header is cut off', id)
}

export function closingOfHeader(text: string): string {
  return `${text.endsWith('\n') ? '' : '\n'}${CUT_OFF}\n---\n`
}

const ID = /(?:^|\n)msg_id:[ \t]+["']?([A-Za-z0-9._-]{1,128})["']?[ \t]*\r?(?:\n|$)/

function idIn(header: string): string | undefined {
  return ID.exec(header)?.[1]
}

function refuse(source: Source, at: number, closing: Closing, reason: string): Found {
  if (beginsEntry(source, at) !== 'yes') return null
  const { text, isLast } = source
  const header = text.slice(afterRule(text, at), closing.at)
  // A header that is whole is followed by a body, in which nothing may be taken for a header. One that ends too soon is
  // followed by what its writer's successor wrote, and the line that seems to close it begins that.
  const isWhole = /(?:^|\n)body_bytes:/.test(header) || isCutOff(header)
  const isNext = !isWhole || isChecked(source, closing)
  if (isNext === undefined) return undefined
  const { at: end } = seekEntry(source, isNext ? closing.at : closing.after)
  const ending = end === text.length && isLast ? closingLine(source) : undefined
  const told = isCutOff(header) ? 'its header is cut off' : reason
  return foundFault(source, { at, end, closing: ending }, told, idIn(header))
}

/**
 * Whether an entry of ours begins with the line that closes a header whose own closing line is damaged. Nobody who writes a
 * body can have the checksum right for what follows the body. Undefined where more bytes are needed to tell.
 */
function isChecked(source: Source, { after }: Closing): boolean | undefined {
  const { text, isLast } = source
  const closing = findClosing(source, after)
  if (!closing?.isEnded) return isLast || text.length - after > BUS_LIMITS.headerBytes ? false : undefined
  const header = parseHeader(source, after, closing.at)
  if (typeof header === 'string' || header.sha256 === undefined) return false
  const { bodyBytes = 0 } = header
  if (bodyBytes > MAX_BODY_BYTES) return false
  const bodyEnd = closing.after + bodyBytes
  const end = afterBody(source, bodyEnd)
  if (end === 'short' && !isLast) return undefined
  return typeof end === 'number' && readChecked(source, closing.after, bodyEnd, header.sha256) !== undefined
}

function readOurs(source: Source, opened: Opened, sha256: string): Found {
  const { at, closing } = opened
  const { fields, bodyBytes = 0 } = opened.header
  if (bodyBytes > MAX_BODY_BYTES) {
    const { at: end } = seekEntry(source, closing.after)
    return foundFault(source, { at, end }, `its body is larger than ${MAX_BODY_BYTES} bytes`, fields.msg_id)
  }
  const bodyEnd = closing.after + bodyBytes
  const end = afterBody(source, bodyEnd)
  if (end === 'short' && !source.isLast) return undefined
  const said = typeof end === 'number' ? readChecked(source, closing.after, bodyEnd, sha256) : undefined
  if (typeof end !== 'number' || said === undefined) return readDamaged(source, opened)
  const found = foundEntry(source, end > bodyEnd ? { at, end } : { at, end, closing: '\n' }, fields, said)
  const claim = opened.header.hasMac ? readMacClaim(source.text, afterRule(source.text, at), closing.at) : undefined
  return claim === undefined ? found : { ...found, claim }
}

function readDamaged(source: Source, { at, closing, header }: Opened): Found {
  const { bytes, text, isLast } = source
  const { fields, bodyBytes = 0, sha256 = '' } = header
  const next = seekEntry(source, closing.after)
  if (!next.isSure && !isLast) return undefined
  // Dashes at the end of the file, where there should be more of the body, are what is left of one of its lines.
  const isCut = next.at < closing.after + bodyBytes && afterRule(text, next.at) > text.length
  const isLastItem = isCut || !next.isSure
  const end = isCut ? text.length : next.at
  const ending = isLastItem ? closingLine(source) : undefined
  const stored = bytes.subarray(closing.after, end)
  const hasReturns = text[closing.after - 2] === '\r'
  const said = hasReturns ? readConverted(stored, bodyBytes, sha256) : undefined
  if (said !== undefined) return foundEntry(source, { at, end, closing: ending }, fields, said)

  if (!isLastItem || stored.length > bodyBytes)
    return foundFault(source, { at, end, closing: ending }, 'its body is not what its header says', fields.msg_id)
  // A last line that is cut so that dashes are left would end the entry for other readers.
  const cut = endsWithDashes(stored) ? ' cut off\n' : '\n'
  return foundFault(source, { at, end, closing: cut }, 'its body is cut off', fields.msg_id)
}

function readForeign(source: Source, { at, closing, header }: Opened, isInConflict: boolean): Found {
  const { fields } = header
  const from = closing.after
  const next = seekEntry(source, from)
  if (isFollowedByHeader(source, closing, next.at))
    return foundFault(source, { at, end: closing.at }, 'its header is cut off', fields.msg_id)
  const measured = readMeasured(source, { at, closing, header }, next.at)
  if (measured) return measured
  if (!next.isSure && !source.isLast) return undefined
  const end = withoutMarkers(source.text, from, next.at, isInConflict)
  const said = readBody(source, from, withoutBreak(source.bytes, from, end))
  if (next.isSure) return foundEntry(source, { at, end }, fields, said)
  return { ...foundEntry(source, { at, end, closing: closingLine(source) }, fields, said), isOpen: true }
}

/** A length alone ends a body where a line ends. It hides no entry that begins before that. */
function readMeasured(source: Source, { at, closing, header }: Opened, nextAt: number): Found {
  const { fields, bodyBytes } = header
  if (bodyBytes === undefined) return undefined
  const bodyEnd = closing.after + bodyBytes
  const end = afterBody(source, bodyEnd)
  if (typeof end !== 'number' || end > nextAt) return undefined
  const said = readBody(source, closing.after, bodyEnd)
  return foundEntry(source, end > bodyEnd ? { at, end } : { at, end, closing: '\n' }, fields, said)
}

/** The header of a writer that died ends with the line that begins the next entry, where nobody has closed it. */
function isFollowedByHeader(source: Source, closing: Closing, end: number): boolean {
  const mention = source.text.indexOf('msg_id', closing.after)
  if (mention < 0 || mention >= end || beginsEntry(source, closing.at) !== 'yes') return false
  const next = findClosing(source, closing.after)
  return next !== undefined && typeof parseHeader(source, closing.after, next.at) !== 'string'
}

function withoutBreak(bytes: Buffer, from: number, end: number): number {
  if (end === from || bytes[end - 1] !== 0x0a) return end
  return end - 1 > from && bytes[end - 2] === 0x0d ? end - 2 : end - 1
}
