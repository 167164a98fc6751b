import { lazy } from './lazy.ts'

const BLOCK_BYTES = 64
const LENGTH_BYTES = 8

/**
 * The first 32 bits of the fractions of the cube roots of the first 64 primes, and of the square roots of the first 8.
 */
const rounds = lazy(() => fractionsOf(64, Math.cbrt))
const beginning = lazy(() => fractionsOf(8, Math.sqrt))

function fractionsOf(count: number, root: (prime: number) => number): Int32Array {
  const fractions = new Int32Array(count)
  for (let n = 2, found = 0; found < count; n++) if (isPrime(n)) fractions[found++] = ((root(n) % 1) * 2 ** 32) | 0
  return fractions
}

function isPrime(n: number): boolean {
  for (let by = 2; by * by <= n; by++) if (n % by === 0) return false
  return true
}

/**
 * The checksum of bytes as FIPS 180-4 defines it, in hexadecimal. A library is many times as fast, and takes longer to
 * load than this takes for some kilobytes.
 */
export function sha256OfFew(bytes: Uint8Array): string {
  const padded = pad(bytes)
  const sum = beginning().slice()
  const constants = rounds()
  const words = new Int32Array(64)
  for (let at = 0; at < padded.byteLength; at += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) words[i] = padded.getInt32(at + 4 * i)
    expand(words)
    compress(sum, words, constants)
  }
  return Array.from(sum, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
}

/** One bit, as many zeros as it takes, and the number of bits. */
function pad(bytes: Uint8Array): DataView {
  const blocks = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES)
  const padded = new Uint8Array(blocks * BLOCK_BYTES)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - LENGTH_BYTES, BigInt(bytes.length) * 8n)
  return view
}

/**
 * A short process runs this and `compress` only a few times, before the JIT compiles them, so their loops call no
 * functions.
 */
function expand(words: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const early = words[i - 15] as number
    const late = words[i - 2] as number
    const first = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)
    const second = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10)
    words[i] = (words[i - 16] as number) + first + (words[i - 7] as number) + second
  }
}

function compress(sum: Int32Array, words: Int32Array, constants: Int32Array): void {
  let a = sum[0] as number
  let b = sum[1] as number
  let c = sum[2] as number
  let d = sum[3] as number
  let e = sum[4] as number
  let f = sum[5] as number
  let g = sum[6] as number
  let h = sum[7] as number
  for (let i = 0; i < 64; i++) {
    const more = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const less = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const step = h + more + (g ^ (e & (f ^ g))) + (constants[i] as number) + (words[i] as number)
    const majority = (a & b) | (c & (a | b))
    h = g
    g = f
    f = e
    e = (d + step) | 0
    d = c
    c = b
    b = a
    a = (step + less + majority) | 0
  }
  sum[0] = (sum[0] as number) + a
  sum[1] = (sum[1] as number) + b
  sum[2] = (sum[2] as number) + c
  sum[3] = (sum[3] as number) + d
  sum[4] = (sum[4] as number) + e
  sum[5] = (sum[5] as number) + f
  sum[6] = (sum[6] as number) + g
  sum[7] = (sum[7] as number) + h
}
