import { lstatSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { LAUNCHER } from './command-line.ts'
import { replaceFile } from './files.ts'
import { formatLauncher, type LauncherFacts } from './launcher.ts'
import { findNativeLauncher, formatFacts } from './native-launcher.ts'

interface Part {
  readonly path: string
  readonly content: string | Buffer
  readonly mode: number
}

const [PROGRAM, TEXT] = [0o700, 0o600]

/** Writes the program that hosts call, and what it needs. False where all of that is there already, just so. */
export function installLauncher(facts: LauncherFacts): boolean {
  const path = join(facts.home, LAUNCHER)
  makePrivateFolder(dirname(path))
  const shell = formatLauncher(facts)
  const said = formatFacts(facts)
  const native = said === undefined ? undefined : findNativeLauncher(dirname(path))
  if (said === undefined || native === undefined) return placeAlone(path, shell)
  // What it leans on comes first: a host may call it at any moment.
  const parts = [
    { path: `${path}.sh`, content: shell, mode: PROGRAM },
    { path: `${path}.facts`, content: said, mode: TEXT },
    { path, content: native, mode: PROGRAM },
  ]
  return parts.map(place).includes(true)
}

/** What lies beside it from an earlier one would speak of another Node. */
function placeAlone(path: string, content: string): boolean {
  const isNew = place({ path, content, mode: PROGRAM })
  for (const part of [`${path}.sh`, `${path}.facts`]) rmSync(part, { force: true })
  return isNew
}

/** True where it was not there, or was something else. */
function place({ path, content, mode }: Part): boolean {
  const { uid, gid } = statSync(dirname(path))
  const old = lstatSync(path, { throwIfNoEntry: false })
  const isThere = old?.isFile() && (old.mode & 0o7777) === mode && readFileSync(path).equals(Buffer.from(content))
  if (!isThere) replaceFile(path, content, { mode, uid, gid })
  return !isThere
}
