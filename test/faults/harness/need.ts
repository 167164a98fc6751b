import { execFileSync } from 'node:child_process'
import type { TestOptions } from 'vitest'
import { needs } from '../../helpers/needs.ts'

/**
 * Options for tests whose harness does something that this machine may not allow. The harness tries it here. Where it
 * fails the tests are skipped for that reason, except in CI, where this throws.
 */
export function needsAbility(what: string, attempt: () => void): TestOptions {
  try {
    attempt()
    return {}
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    const missing = `a machine that can ${what}: ${reason}`
    if (process.env['CI'] === 'true') throw new Error(`The tests need ${missing}`, { cause: error })
    return needs(missing)
  }
}

export function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

export function requireRoot(): void {
  if (process.getuid?.() !== 0) throw new Error('it takes root')
}

/** One line that says what a harness did. */
export function figures(harness: string, line: string): void {
  console.log(`faults · ${harness}: ${line}`)
}
