import { closeSync, openSync, readSync } from 'node:fs'

/** Node's crypto, loaded on use: it takes a third of the time in which a whole command can start. */
function crypto(): Crypto {
  loaded ??= process.getBuiltinModule('node:crypto')
  return loaded
}

type Crypto = typeof import('node:crypto')
let loaded: Crypto | undefined

export function sha256(data: string | Uint8Array): string {
  return crypto().hash('sha256', data)
}

/** In hex. */
export function sha384(data: Uint8Array): string {
  return crypto().hash('sha384', data)
}

const CHUNK_BYTES = 1024 * 1024

/** The checksum and size of a file of any size. */
export function sha256OfFile(path: string): { readonly sha256: string; readonly bytes: number } {
  const hash = crypto().createHash('sha256')
  const chunk = new Uint8Array(CHUNK_BYTES)
  const descriptor = openSync(path, 'r')
  let bytes = 0
  try {
    for (let read = readSync(descriptor, chunk); read > 0; read = readSync(descriptor, chunk)) {
      hash.update(chunk.subarray(0, read))
      bytes += read
    }
  } finally {
    closeSync(descriptor)
  }
  return { sha256: hash.digest('hex'), bytes }
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** Characters that nobody can guess, five bits each. */
export function randomToken(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

/** Reads /dev/urandom where there is one, because that loads no library. */
export function randomBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let descriptor: number | undefined
  try {
    descriptor = openSync('/dev/urandom', 'r')
    if (readSync(descriptor, bytes) === length) return bytes
  } catch {
    // There is no such file here.
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
  return crypto().randomBytes(length)
}
