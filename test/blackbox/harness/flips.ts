import { readFileSync, writeFileSync } from 'node:fs'

/** One byte of a file that is changed. */
export interface Flip {
  readonly file: string
  readonly offset: number
  readonly mask: number
}

/** So many flips of each part of a file; a part is a page, a frame, or the whole file. */
export function flipsOf(file: string, { partBytes, perPart, random }: FlipOptions): Flip[] {
  const bytes = readFileSync(file)
  const parts = Math.ceil(bytes.length / partBytes)
  return Array.from({ length: parts }, (_, part) => {
    const start = part * partBytes
    const end = Math.min(start + partBytes, bytes.length)
    return Array.from({ length: perPart }, () => ({
      file,
      offset: usedByteIn(bytes, start, end, random),
      // One bit in half of the cases, and a whole byte in the others.
      mask: random() < 0.5 ? 1 << Math.floor(random() * 8) : 1 + Math.floor(random() * 255),
    }))
  }).flat()
}

interface FlipOptions {
  readonly partBytes: number
  readonly perPart: number
  readonly random: () => number
}

/** Most bytes of a page are unused and zero; a flip there shows nothing. */
function usedByteIn(bytes: Buffer, start: number, end: number, random: () => number): number {
  for (let tries = 0; ; tries++) {
    const offset = start + Math.floor(random() * (end - start))
    if (bytes[offset] !== 0 || tries === 50) return offset
  }
}

export function applyFlip(path: string, { offset, mask }: Flip): void {
  const bytes = readFileSync(path)
  bytes[offset] = (bytes[offset] ?? 0) ^ mask
  writeFileSync(path, bytes)
}

export function describeFlip({ file, offset, mask }: Flip): string {
  return `${file.split('/').at(-1)} @${offset} ^0x${mask.toString(16)}`
}
