import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { System } from './system.ts'

/** The limit of the disk: a line appended and fsynced. */
export async function openRawFile(folder: string): Promise<System> {
  const fd = openSync(join(folder, 'raw.jsonl'), 'a')
  const append = (text: string) => {
    writeSync(fd, text)
    fsyncSync(fd)
  }
  return {
    push: (body) => append(`${body}\n`),
    pushMany: (bodies) => append(`${bodies.join('\n')}\n`),
    close: () => closeSync(fd),
  }
}
