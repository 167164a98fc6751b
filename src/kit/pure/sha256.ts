import { lazy } from './lazy.ts'

const BLOCK_BYTES = 64
const LENGTH_BYTES = 8

/** The first 32 bits of the fractions of the cube roots of the first 64 primes, and of the square roots of the first 8. */
const rounds = lazy(() => fractionsOf(64, Math.cbrt))
const beginning = lazy(() => fractionsOf(8, Math.sqrt))

function fractionsOf(count: number, root: (prime: number) => number): Int32Array {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return Int32Array.from(primes, (prime) => ((root(prime) % 1) * 2 ** 32) | 0)
}

/**
 * The checksum of bytes as FIPS 180-4 defines it, in hexadecimal. A library is many times as fast, and takes longer to
 * load than this takes for some kilobytes.
 */
export function sha256OfFew(bytes: Uint8Array): string {
  const padded = pad(bytes)
  const sum = beginning().slice()
  const words = new Int32Array(64)
  for (let at = 0; at < padded.byteLength; at += BLOCK_BYTES) {
    for (let i = 0; i < 16; i++) words[i] = padded.getInt32(at + 4 * i)
    expand(words)
    compress(sum, words)
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

function expand(words: Int32Array): void {
  for (let i = 16; i < 64; i++) {
    const early = words[i - 15] as number
    const late = words[i - 2] as number
    const first = turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)
    const second = turn(late, 17) ^ turn(late, 19) ^ (late >>> 10)
    words[i] = ((words[i - 16] as number) + first + (words[i - 7] as number) + second) | 0
  }
}

function compress(sum: Int32Array, words: Int32Array): void {
  const constants = rounds()
  let [a, b, c, d, e, f, g, h] = sum as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g)
    const more = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)
    const step = (h + more + choice + (constants[i] as number) + (words[i] as number)) | 0
    const majority = (a & b) ^ (a & c) ^ (b & c)
    const less = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)
    h = g
    g = f
    f = e
    e = (d + step) | 0
    d = c
    c = b
    b = a
    a = (step + less + majority) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) sum[i] = ((sum[i] as number) + word) | 0
}

function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}
