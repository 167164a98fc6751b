import type { Form } from './command.ts'
import { optionTable } from './parse.ts'

/**
 * Puts `--` before the first operand of a command that runs another one: what comes after it is that one's, options too,
 * as with `env` or `nohup`.
 */
export function endOptions(command: Form, argv: readonly string[]): readonly string[] {
  const table = optionTable(command)
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? ''
    if (word === '--') return argv
    if (!word.startsWith('-') || word.length === 1) return [...argv.slice(0, at), '--', ...argv.slice(at)]
    const takesNext = !word.includes('=') && table.get(word)?.value !== undefined
    if (takesNext) at++
  }
  return argv
}
