import type { IncomingMessage, ServerResponse } from 'node:http'
import { PosternError } from '../../model/errors.ts'
import type { OperationName } from '../../model/operations.ts'

export const BODY_BYTES = 256 * 1024

/** What a body of a bus takes as JSON, whatever is in it, and something attached to it. */
export const ENTRY_BYTES = 2 * 1024 * 1024

/** How large a request for an operation may be. */
export function bodyBytesFor(operation: OperationName): number {
  return operation === 'bus.post' ? ENTRY_BYTES : BODY_BYTES
}

/** A payload may be nested 32 deep, and lies in a message, which may lie in a list. */
const MAX_DEPTH = 36

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** The body as text. What is too large is refused before it is taken in, or as soon as it turns out to be. */
export async function readText(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number = BODY_BYTES,
): Promise<string> {
  if (!hasBody(request)) return ''
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit)
  if (isEncoded(request)) throw invalid('it must not be compressed')
  // Whoever asks before sending is told to go on only now.
  if (request.headers.expect !== undefined) response.writeContinue()
  return decode(await collect(request, limit))
}

function isEncoded({ headers }: IncomingMessage): boolean {
  const transfer = headers['transfer-encoding']
  return headers['content-encoding'] !== undefined || (transfer !== undefined && transfer.toLowerCase() !== 'chunked')
}

function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    const leave = () => {
      request.off('data', take).off('end', finish).off('error', fail).off('close', fail)
    }
    const take = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= limit) return void chunks.push(chunk)
      leave()
      request.pause()
      reject(tooLarge(limit))
    }
    const finish = () => {
      leave()
      const [first, second] = chunks
      resolve(first && !second ? first : Buffer.concat(chunks))
    }
    const fail = () => {
      leave()
      reject(invalid('it was cut off'))
    }
    request.on('data', take).on('end', finish).on('error', fail).on('close', fail)
  })
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes)
  } catch {
    throw invalid('it is not UTF-8')
  }
}

/** A form of a browser cannot send this type, so no page of others can send one in its user's name. */
export function requireJsonType({ headers }: IncomingMessage): void {
  const type = headers['content-type'] ?? ''
  if (/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) return
  throw new PosternError('MEDIA_TYPE_REFUSED', { type: type === '' ? 'of nothing' : type })
}

/** The object that a body holds; an absent one is empty. */
export function parseBody(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {}
  if (!isShallow(text)) throw invalid(`it is nested more than ${MAX_DEPTH} deep`)
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw invalid('it is not an object')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid('it is not JSON')
  }
}

const QUOTE = 34
const BACKSLASH = 92

/** Counts brackets outside of strings, character by character: whatever is sent, no stack grows with it. */
export function isShallow(text: string): boolean {
  let depth = 0
  let isString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isString) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) isString = false
    } else if (code === QUOTE) isString = true
    else if (code === 91 || code === 123) {
      depth++
      if (depth > MAX_DEPTH) return false
    } else if (code === 93 || code === 125) depth--
  }
  return true
}

function invalid(reason: string): PosternError {
  return new PosternError('BODY_INVALID', { reason })
}

function tooLarge(limit: number): PosternError {
  return new PosternError('BODY_TOO_LARGE', { limit })
}
