import { posix } from 'node:path'
import { type Breach, type Files, isTest, sourcesOf } from './breach.ts'
import { lineOf, scan } from './scan.ts'

export const MAX_SOURCE_LINES = 500
export const MAX_TEST_LINES = 1_000
export const MAX_FOLDER_FILES = 40

/** File stops. Aims are taste and are not tested. */
export function checkFileSizes(files: Files): Breach[] {
  return [...files].flatMap(([file, text]) => {
    const limit = isTest(file) || file.startsWith('test/') ? MAX_TEST_LINES : MAX_SOURCE_LINES
    const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
    const remedy = 'split it by subject'
    return lines > limit ? [{ file, line: 0, what: `has ${lines} lines; at most ${limit} are taken`, remedy }] : []
  })
}

/** Tests stand beside their sources, so that each kind is counted for itself. */
export function checkFolderSizes(files: Files): Breach[] {
  const counts = new Map<string, number>()
  for (const file of files.keys()) {
    const key = `${posix.dirname(file)}${isTest(file) ? ' (tests)' : ''}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FOLDER_FILES)
    .map(([file, count]) => ({
      file,
      line: 0,
      what: `holds ${count} files; at most ${MAX_FOLDER_FILES} are taken`,
      remedy: 'make folders by subject',
    }))
}

const EMPTY_NAMES: ReadonlySet<string> = new Set(
  ['util', 'helper', 'common', 'type', 'misc', 'manager'].flatMap((name) => [name, `${name}s`]),
)

/** Names that say nothing of what a file holds. `test/helpers/` is where STYLE.md puts what tests share. */
export function checkFileNames(files: Files): Breach[] {
  return [...files.keys()].flatMap((file) => {
    const parts = file.startsWith('src/') ? file.split('/') : [posix.basename(file)]
    const words = parts.flatMap((part) => part.replace(/\..*$/, '').split('-'))
    const empty = words.find((word) => EMPTY_NAMES.has(word))
    const shape = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9-]+)*\.ts$/.test(posix.basename(file))
    if (!shape) return [{ file, line: 0, what: 'is not named in kebab-case', remedy: 'name it like fan-out.ts' }]
    const what = `is called "${empty}", which says nothing`
    return empty === undefined ? [] : [{ file, line: 0, what, remedy: 'name it for what it holds' }]
  })
}

/** `fan-out.test.ts`, and `fan-out.processes.test.ts`, stand beside `fan-out.ts`. */
export function checkTestPlaces(files: Files): Breach[] {
  return [...files.keys()].flatMap((file) => {
    if (!file.startsWith('src/') || !isTest(file)) return []
    const source = `${posix.join(posix.dirname(file), posix.basename(file).replace(/\..*$/, ''))}.ts`
    const remedy = 'name it for the file it tests, or move what crosses rooms to test/'
    return files.has(source) ? [] : [{ file, line: 0, what: `tests ${source}, which is not there`, remedy }]
  })
}

/** Words that had a meaning in a seed and were given up for one of ours. */
const RETIRED: readonly [pattern: RegExp, instead: string][] = [
  [/bead/i, 'task'],
  [/consciousness/i, 'session or handoff'],
  [/mailbox/i, 'inbox'],
  [/envelope/i, 'message'],
  [/inject_?queue/i, 'spool'],
]

/** Retired words in identifiers and file names. A seed's flag is a string, and stands in the CLI alone. */
export function checkWords(files: Files): Breach[] {
  return sourcesOf(files).flatMap(([file, text]) => {
    const { code, strings } = scan(text)
    const identifiers = [...code.matchAll(/[A-Za-z_$][\w$]*/g)].map((match) => ({ at: match.index, word: match[0] }))
    const flags = file.startsWith('src/cli/') ? [] : strings.map(({ start, text: word }) => ({ at: start, word }))
    const beads = flags.filter(({ word }) => /bead/i.test(word))
    const name = { at: -1, word: file.replaceAll('-', '') }
    return [name, ...identifiers, ...beads].flatMap(({ at, word }) => {
      const retired = RETIRED.find(([pattern]) => pattern.test(word))
      if (retired === undefined) return []
      const line = at < 0 ? 0 : lineOf(text, at)
      return [{ file, line, what: `"${word}" holds a retired word`, remedy: `say ${retired[1]}` }]
    })
  })
}
