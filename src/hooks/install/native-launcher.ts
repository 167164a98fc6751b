import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPrebuilt } from '../../kit/node/native/system-calls.ts'
import { type LauncherFacts, NODE_FLAGS } from './launcher.ts'

const PROBE_MS = 2_000

/**
 * The launcher in C (`native/launcher.c`) for this machine. It is tried in the folder where it shall lie: there may be
 * nothing that runs binaries there, or no binary of ours that runs here. Then the one in shell does it alone.
 */
export function findNativeLauncher(folder: string): Buffer | undefined {
  const prebuilt = findPrebuilt()
  const path = prebuilt && join(prebuilt, `hook-${process.platform}-${process.arch}`)
  if (!path || !existsSync(path)) return undefined
  const program = readFileSync(path)
  const trial = join(folder, `.hook.trial-${process.pid}`)
  try {
    writeFileSync(trial, program, { mode: 0o700, flag: 'wx' })
    const said = execFileSync(trial, ['--probe'], { encoding: 'utf8', timeout: PROBE_MS, stdio: 'pipe' })
    return said === 'launcher\n' ? program : undefined
  } catch {
    return undefined
  } finally {
    rmSync(trial, { force: true })
  }
}

/** What it reads beside itself, a line each; undefined where one of them has several. */
export function formatFacts({ home, node, program }: LauncherFacts): string | undefined {
  const lines = [home, node, ...NODE_FLAGS, program]
  return lines.some((line) => line === '' || line.includes('\n')) ? undefined : `${lines.join('\n')}\n`
}
