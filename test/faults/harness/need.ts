import { execFileSync } from 'node:child_process'

/**
 * Whether the machine can do what a harness needs. Where it cannot, the tests are skipped and say so, except in CI,
 * where skipping would hide things.
 */
export function canDo(what: string, attempt: () => void): boolean {
  try {
    attempt()
    return true
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    const notice = `This machine cannot ${what}: ${reason}`
    if (process.env['CI'] === 'true') throw new Error(notice, { cause: error })
    console.error(`\n*** ${notice}. The tests that need it are skipped. ***\n`)
    return false
  }
}

export function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

export function requireRoot(): void {
  if (process.getuid?.() !== 0) throw new Error('it takes root')
}

/** The campaign before a release: everything, and many times. */
export const isLong = process.env['POSTERN_LONG'] === '1'

/** One line that says what a harness did. */
export function figures(harness: string, line: string): void {
  console.log(`faults · ${harness}: ${line}`)
}
