import { foldLines } from '../../render/terminal.ts'
import type { Io } from './command.ts'
import { formatJson } from './json.ts'

/** Answers on stdout: JSON where it was asked for, else the text. */
export function answer(io: Pick<Io, 'isJson' | 'stdout'>, value: unknown, text: string): void {
  if (io.isJson) io.stdout.line(formatJson(value))
  else if (text !== '') io.stdout.line(text)
}

export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`
}

/** On a terminal no line may run on into a row that looks like another. */
export function folded({ stdout }: Pick<Io, 'stdout'>, text: string): string {
  return stdout.isTerminal ? foldLines(text, stdout.columns) : text
}
