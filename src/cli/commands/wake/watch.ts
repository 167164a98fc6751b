import { isUnattended } from '../../../hooks/watch/unattended.ts'
import { EXIT } from '../../../model/errors.ts'
import { readInput } from '../../entries/hook-input.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Watches a session in the background. It ends with 2 where the session is to be woken and with 0 in every other case,
 * also in those that nobody has thought of: hosts show other codes to their users.
 */
export async function watchInBackground(words: readonly string[]): Promise<never> {
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, leave)
  process.on('uncaughtException', leave)
  process.on('unhandledRejection', leave)
  if (isUnattended(process.env)) leave()
  try {
    const { runRewake } = await import('./rewake.ts')
    process.exit(await runRewake(words, readInput))
  } catch {
    leave()
  }
}

function leave(): never {
  process.exit(EXIT.ok)
}
