import { execFile } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

/** Something that a command writes to and we read from. */
export interface Pipe {
  readonly source: Readable
  /** For the command; ours must be closed once it has it, or the end never comes. */
  readonly fd: number
  closeOurs(): void
}

const run = promisify(execFile)

/**
 * Makes pipes such as shells make. Node's own are sockets, which nobody can open by a name: a script that says
 * `echo failed > /dev/stderr` would fail. Undefined where the folder cannot hold any.
 */
export async function openPipes(folder: string, names: readonly string[]): Promise<readonly Pipe[] | undefined> {
  const paths = names.map((name) => join(folder, name))
  try {
    await run('mkfifo', ['-m', '600', ...paths])
    return paths.map(openPipe)
  } catch {
    return undefined
  } finally {
    for (const path of paths) rmSync(path, { force: true })
  }
}

function openPipe(path: string): Pipe {
  // Without waiting for a writer, who comes only then.
  const reading = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const fd = openSync(path, constants.O_WRONLY)
  const source = new Socket({ fd: reading, readable: true, writable: false })
  return { source, fd, closeOurs: () => closeSync(fd) }
}
