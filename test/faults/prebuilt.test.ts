import { execFile } from 'node:child_process'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../helpers/temp.ts'
import { FULL } from '../helpers/tier.ts'

const NATIVE = fileURLToPath(new URL('../../native/', import.meta.url))
const PREBUILT = join(NATIVE, 'prebuilt')
/** The compiler builds the C libraries of six platforms first. */
const TIMEOUT_MS = 900_000

/** The files of two folders that differ, or that only one of them has. */
function differing(one: string, other: string): string[] {
  const names = new Set([...readdirSync(one), ...readdirSync(other)])
  return [...names].filter((name) => {
    const [a, b] = [one, other].map((folder) => readdirSync(folder).includes(name) && readFileSync(join(folder, name)))
    return !a || !b || !a.equals(b)
  })
}

/** The compiler is locked for this platform alone: its packages for others cannot be had everywhere. */
const isLocked = process.platform === 'linux' && process.arch === 'x64'

describe.skipIf(!isLocked)('the prebuilt binaries', () => {
  it('are built from their sources, byte for byte', { ...FULL, timeout: TIMEOUT_MS }, async () => {
    const folder = temporaryFolder()
    await promisify(execFile)(process.execPath, [join(NATIVE, 'build.mjs'), folder], { timeout: TIMEOUT_MS })
    expect(differing(folder, PREBUILT)).toEqual([])
    appendFileSync(join(folder, 'hook-linux-x64'), 'x')
    expect(differing(folder, PREBUILT)).toEqual(['hook-linux-x64'])
  })
})
