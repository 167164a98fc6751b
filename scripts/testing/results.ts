import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The lines of a results file. A line that a killed process has left unfinished is skipped, and hides no other. */
export function readResults<T>(path: string): readonly T[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => parseLine<T>(line))
}

function parseLine<T>(line: string): readonly T[] {
  try {
    return [JSON.parse(line) as T]
  } catch {
    return []
  }
}

/** Adds a line. It begins on a line of its own, whatever was left unfinished before. */
export function appendResult(path: string, result: object): void {
  mkdirSync(dirname(path), { recursive: true })
  appendFileSync(path, `\n${JSON.stringify(result)}\n`)
}
