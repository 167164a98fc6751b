import { describe, expect, it } from 'vitest'
import type { Command, Io } from './command.ts'
import { completionCommand } from './completion.ts'
import { helpFor } from './help.ts'
import { parseArgs } from './parse.ts'

const command: Command = {
  path: 'knock',
  summary: 'Knock at the door.',
  options: [
    { name: 'loud', summary: 'so that everybody hears it' },
    { name: 'handed-on', isInternal: true, summary: 'by another process of ours' },
  ],
  run: async () => undefined,
}

describe('an internal option', () => {
  it('is left out of help', () => {
    expect(helpFor(command)).toContain('--loud')
    expect(helpFor(command)).not.toContain('--handed-on')
  })

  it.each(['bash', 'zsh', 'fish'])('is left out of completions for %s', async (shell) => {
    const lines: string[] = []
    const stdout = { isTerminal: false, columns: 80, line: (text: string) => void lines.push(text) }
    const args = { operands: [shell], has: () => false, get: () => undefined, all: () => [] }
    await completionCommand(() => [command]).run({ isJson: false, stdout } as unknown as Io, args)
    expect(lines.join('\n')).toContain('loud')
    expect(lines.join('\n')).not.toContain('handed-on')
  })

  it('is understood all the same', () => {
    expect(parseArgs(command, ['--handed-on']).has('handed-on')).toBe(true)
  })
})
