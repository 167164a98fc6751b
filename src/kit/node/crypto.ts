import { closeSync, openSync, readSync } from 'node:fs'

/** Node's crypto, loaded on use: it takes a third of the time in which a whole command can start. */
function crypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto')
}

export function sha256(data: string | Uint8Array): string {
  return crypto().createHash('sha256').update(data).digest('hex')
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** Characters that nobody can guess, five bits each. */
export function randomToken(length: number): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('')
}

/** From the kernel where it offers a file for it, which needs no library. */
function randomBytes(length: number): Uint8Array {
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
