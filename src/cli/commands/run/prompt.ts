import { closeSync, createReadStream, createWriteStream, fstatSync, openSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { PosternError } from '../../../model/errors.ts'
import { refuseNamedPipe, unreadable } from '../../shell/bounded-input.ts'

/** What a run is told to do. */
export interface Prompt {
  /** Copies it to a new file, and opens that for the command to read. Fails where it is told to stop. */
  keep(path: string, stop: AbortSignal): Promise<number>
  close(): void
}

/** Opens the prompt that a word names; undefined where there is none. */
export function openPrompt(name: string | undefined): Prompt | undefined {
  if (name === undefined) return undefined
  const source = name === '-' ? process.stdin : createReadStream(name, { fd: openFile(name) })
  let copy: number | undefined
  return {
    async keep(path, stop) {
      await pipeline(source, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: stop })
      copy = openSync(path, 'r')
      return copy
    },
    close() {
      if (copy !== undefined) closeSync(copy)
      source.destroy()
    },
  }
}

function openFile(name: string): number {
  try {
    refuseNamedPipe(name)
    const fd = openSync(name, 'r')
    if (!fstatSync(fd).isDirectory()) return fd
    closeSync(fd)
    throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
  } catch (error) {
    throw error instanceof PosternError ? error : unreadable(name, error)
  }
}
