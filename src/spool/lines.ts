import { readSync } from 'node:fs'

/** A line of a file by its bytes. */
export interface Line {
  readonly start: number
  /** Where it ends, without its line break. */
  readonly end: number
  /** Absent where it is too long to be read. */
  readonly bytes?: Buffer
}

/** A stretch of a file from its beginning. */
export interface Stretch {
  /** Those that are not blank. */
  readonly lines: readonly Line[]
  /** All that stands before this was looked at. */
  readonly end: number
}

export interface Bounds {
  readonly maxLines: number
  /** Bytes of lines that are not blank; the line that goes beyond is the last. */
  readonly maxBytes: number
  readonly maxLineBytes: number
}

const CHUNK_BYTES = 256 * 1024
const LINE_BREAK = 0x0a
const BREAKS = Buffer.alloc(4 * 1024, LINE_BREAK)

/** Reads the first lines of a file that is `size` bytes long. What follows the last line break is a line too. */
export function readLines(fd: number, size: number, bounds: Bounds): Stretch {
  const collector = new Collector(bounds)
  const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size))
  for (let position = 0; position < size && !collector.isFull; ) {
    const read = readSync(fd, chunk, 0, Math.min(chunk.length, size - position), position)
    if (read === 0) break
    collector.add(chunk.subarray(0, read), position)
    position += read
  }
  return collector.finish(size)
}

class Collector {
  isFull = false
  readonly #bounds: Bounds
  readonly #lines: Line[] = []
  #bytes = 0
  #start = 0
  #parts: Buffer[] = []
  #length = 0

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  add(chunk: Buffer, position: number): void {
    for (let from = 0; from < chunk.length && !this.isFull; ) {
      if (this.#length === 0 && chunk[from] === LINE_BREAK) {
        from = skipBreaks(chunk, from)
        this.#start = position + from
        continue
      }
      const found = chunk.indexOf(LINE_BREAK, from)
      const to = found < 0 ? chunk.length : found
      if (to > from) this.#keep(chunk.subarray(from, to))
      if (found < 0) return
      this.#close(position + found)
      this.#start = position + found + 1
      from = found + 1
    }
  }

  finish(size: number): Stretch {
    if (!this.isFull && this.#start < size) {
      this.#close(size)
      this.#start = size
    }
    return { lines: this.#lines, end: this.#start }
  }

  #keep(part: Buffer): void {
    this.#length += part.length
    // The chunk is used again.
    if (this.#length <= this.#bounds.maxLineBytes) this.#parts.push(Buffer.from(part))
    else this.#parts = []
  }

  #close(end: number): void {
    if (this.#length > 0) this.#take(end)
    this.#parts = []
    this.#length = 0
  }

  #take(end: number): void {
    const isTooLong = this.#length > this.#bounds.maxLineBytes
    const bytes = Buffer.concat(this.#parts)
    if (!isTooLong && isBlank(bytes)) return
    this.#lines.push({ start: this.#start, end, ...(!isTooLong && { bytes }) })
    this.#bytes += bytes.length
    this.isFull = this.#lines.length >= this.#bounds.maxLines || this.#bytes >= this.#bounds.maxBytes
  }
}

/** Lines that were taken leave nothing but breaks, and of those there may be millions. */
function skipBreaks(chunk: Buffer, from: number): number {
  let at = from
  while (BREAKS.equals(chunk.subarray(at, at + BREAKS.length))) at += BREAKS.length
  while (chunk[at] === LINE_BREAK) at++
  return at
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d)
}
