import { type FileHandle, open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { sleep } from '../../../kit/clock/sleep.ts'
import { nextTurn } from '../../../kit/node/event-loop.ts'
import { createEcho } from './echo.ts'

/** What a command writes: all of it goes to a file, and from there to whoever looks on. */
export interface KeptOutput {
  /** Resolves when there is no more to come, and all is in the file. */
  readonly kept: Promise<void>
  /** Resolves when all was shown, or nobody looks on any more. */
  readonly shown: Promise<void>
  /** How many bytes could not be written to the file. */
  readonly unkept: number
  /** The command has ended. What it has started may still have the pipe: that is given a moment, and left alone then. */
  finish(): void
  close(): Promise<void>
}

const LAST_WORDS_MS = 1_000
const QUIET_MS = 20
/** More than any pipe holds: what comes after it was written after the end. */
const MAX_LAST_BYTES = 1024 * 1024

/** Opens the file of an output. It must not be there yet. */
export function openOutput(path: string): Promise<FileHandle> {
  return open(path, 'ax+', 0o600)
}

/**
 * Keeps what comes from a source, no faster than the disk takes it. Whoever looks on is shown it from the file: slow or
 * gone, they neither hold up the command nor lose anything, and nothing piles up in memory.
 */
export function keepOutput(source: Readable, file: FileHandle, lookingOn: number): KeptOutput {
  const echo = createEcho(file, lookingOn)
  const over = new AbortController()
  let [chunks, bytes, unkept, size] = [0, 0, 0, 0]
  let writing: Promise<void> = Promise.resolve()

  async function keep(chunk: Buffer): Promise<void> {
    try {
      await file.appendFile(chunk)
      size += chunk.length
    } catch {
      // A full disk takes a part.
      const now = await file.stat().then(
        ({ size }) => size,
        () => size,
      )
      unkept += chunk.length - (now - size)
      size = now
    }
    echo.show(size)
  }

  const kept = new Promise<void>((resolve) => {
    source.on('data', (chunk: Buffer) => {
      chunks++
      bytes += chunk.length
      source.pause()
      writing = keep(chunk).finally(() => source.resume())
    })
    // An end that is broken off is one too.
    source.on('error', () => {})
    source.once('close', () => {
      over.abort()
      void writing.finally(resolve)
    })
  })

  /** Quiet is what says nothing in a whole turn of the event loop although somebody listens. */
  async function leaveWhenQuiet(): Promise<void> {
    const before = bytes
    await sleep(LAST_WORDS_MS, { signal: over.signal })
    for (let seen = -1; seen !== chunks && bytes - before < MAX_LAST_BYTES; ) {
      seen = chunks
      await writing
      await sleep(QUIET_MS, { signal: over.signal })
      await nextTurn()
    }
    source.destroy()
  }

  return {
    kept,
    shown: kept.then(echo.end),
    get unkept() {
      return unkept
    },
    finish() {
      void leaveWhenQuiet()
    },
    close: () => file.close(),
  }
}
