import type { Io } from './command.ts'
import { formatJson } from './json.ts'

/** Answers on stdout: JSON where it was asked for, else the text. */
export function answer(io: Pick<Io, 'isJson' | 'stdout'>, value: unknown, text: string): void {
  if (io.isJson) io.stdout.line(formatJson(value))
  else if (text !== '') io.stdout.line(text)
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
