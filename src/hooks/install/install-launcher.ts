import { lstatSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { LAUNCHER } from './command-line.ts'
import { replaceFile } from './files.ts'
import { formatLauncher, type LauncherFacts } from './launcher.ts'
import { findNativeLauncher, formatFacts } from './native-launcher.ts'

interface Part {
  readonly name: string
  readonly content: string | Buffer
  readonly mode: number
}

const [PROGRAM, TEXT] = [0o755, 0o644]

/** Writes the program that hosts call, and what it needs. False where all of that is there already, just so. */
export function installLauncher(facts: LauncherFacts): boolean {
  const path = join(facts.home, LAUNCHER)
  makePrivateFolder(dirname(path))
  const shell = formatLauncher(facts)
  const said = formatFacts(facts)
  const native = said === undefined ? undefined : findNativeLauncher(dirname(path))
  if (said === undefined || native === undefined) return place({ name: path, content: shell, mode: PROGRAM })
  // What it leans on comes first: a host may call it at any moment.
  const parts = [
    { name: `${path}.sh`, content: shell, mode: PROGRAM },
    { name: `${path}.facts`, content: said, mode: TEXT },
    { name: path, content: native, mode: PROGRAM },
  ]
  return parts.map(place).includes(true)
}

/** True where it was not there, or was something else. */
function place({ name, content, mode }: Part): boolean {
  const { uid, gid } = statSync(dirname(name))
  const old = lstatSync(name, { throwIfNoEntry: false })
  const isThere = old?.isFile() && (old.mode & 0o7777) === mode && readFileSync(name).equals(Buffer.from(content))
  if (!isThere) replaceFile(name, content, { mode, uid, gid })
  return !isThere
}
