import { foldLines } from '../../render/terminal.ts'
import { spellOut } from '../../render/unseen.ts'
import type { Io } from './command.ts'
import { formatJson } from './json.ts'

/**
 * Answers on stdout: JSON where it was asked for, else the text. Commands neutralise each field that others wrote. This
 * is the net below them: a server can put control characters into any field, such as an id or a cursor.
 */
export function answer(io: Pick<Io, 'isJson' | 'stdout'>, value: unknown, text: string): void {
  if (io.isJson) io.stdout.line(formatJson(value))
  else if (text !== '') io.stdout.line(text.replace(CONTROL, spellOut))
}

const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

export function counted(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`
}

/** On a terminal no line may run on into a row that looks like another. */
export function folded({ stdout }: Pick<Io, 'stdout'>, text: string): string {
  return stdout.isTerminal ? foldLines(text, stdout.columns) : text
}
