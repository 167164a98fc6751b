import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { needs } from './needs.ts'

const BOOT_ID_FILE = '/proc/sys/kernel/random/boot_id'

/** Empty where there are no quiet files. */
export const BOOT_ID = existsSync(BOOT_ID_FILE) ? readFileSync(BOOT_ID_FILE, 'utf8').trim() : ''

/** For tests of quiet files, which name the boot of the machine. */
export const NEEDS_BOOT_ID = needs(BOOT_ID === '' ? `Linux (${BOOT_ID_FILE})` : undefined)

/** Whether a hook would stay away from the store: what the launcher asks. */
export function looksQuiet(home: string, agent: string): boolean {
  let lines: string[]
  try {
    lines = readFileSync(join(home, 'quiet', agent), 'utf8').split('\n')
  } catch {
    return false
  }
  const [bootId, ...spools] = lines
  return bootId === BOOT_ID && spools.every((spool) => spool === '' || isEmpty(spool))
}

function isEmpty(spool: string): boolean {
  return (statSync(spool, { throwIfNoEntry: false })?.size ?? 0) === 0
}

/** Makes quiet files without asking anybody whether they are true. */
export function plantQuiet(home: string, agents: readonly string[]): void {
  mkdirSync(join(home, 'quiet'), { recursive: true, mode: 0o700 })
  for (const agent of agents) writeFileSync(join(home, 'quiet', agent), `${BOOT_ID}\n`)
}

/** Who has a quiet file. */
export function quietIn(home: string): string[] {
  return readdirSync(home).includes('quiet') ? readdirSync(join(home, 'quiet')).toSorted() : []
}

/** Whether a launcher in C comes with us for this machine. */
export const HAS_NATIVE_LAUNCHER = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch)

export const NEEDS_NATIVE_LAUNCHER = needs(HAS_NATIVE_LAUNCHER ? undefined : 'Linux on x64 or arm64')
