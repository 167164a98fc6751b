const FIRST_BYTES = 4 * 1024
/** What a larger batch has needed is given back. */
const MAX_KEPT_BYTES = 1024 * 1024
/** Of a character, in UTF-8. */
const MAX_CHARACTER_BYTES = 3

/** What is to be written to a file, put together in room that is used again for what comes next. */
export class Sheet {
  #room = Buffer.allocUnsafe(FIRST_BYTES)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** All that is on it, until something else is. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  clear(): void {
    this.#length = 0
    if (this.#room.length > MAX_KEPT_BYTES) this.#room = Buffer.allocUnsafe(FIRST_BYTES)
  }

  addText(text: string): void {
    this.#makeRoom(text.length * MAX_CHARACTER_BYTES)
    this.#length += this.#room.write(text, this.#length)
  }

  addBytes(bytes: Uint8Array): void {
    this.#makeRoom(bytes.length)
    this.#room.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes
    if (needed <= this.#room.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#room.length))
    larger.set(this.bytes)
    this.#room = larger
  }
}
