import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { parseArgs } from '../../src/cli/shell/parse.ts'

/** What a text shows where a detail is missing, or has a form that no reader expects. */
const HOLES: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/\bundefined\b|\bNaN\b|\[object /, 'a value of JavaScript'],
  [/(?<!\\u)\{"?\w+"?\??\}/, 'a slot that was not filled'],
  [/(?<![\w\\])""(?![\w"])/, 'quotes around nothing'],
  [/ {2}|(?<!\w)\( *\)| [.,;:](?: |$)|: *\.|\.\.(?![."])/, 'a hole'],
  [/\b(?:mend|whoever|nobody|somebody)\b/i, 'a word that STYLE.md replaces'],
]

/** What is wrong with the text of an error as a door shows it. */
export function faultsOfText(text: string): readonly string[] {
  const faults = HOLES.filter(([pattern]) => pattern.test(text)).map(([, what]) => `${what}: ${text}`)
  return /[.!?]$/.test(text) ? faults : [...faults, `no end of a sentence: ${text}`]
}

/** What is wrong with a next step. Doors other than the command line have no options, so a bare one must say so. */
export function faultsOfNext(next: string): readonly string[] {
  const bare = next.replaceAll(COMMAND, '')
  const isForeign = /(?:^|[ "])--[a-z]|\bargument\b/.test(bare) && !/on the command line/.test(bare)
  return [
    ...faultsOfText(next),
    ...(isForeign ? [`an option without its command: ${next}`] : []),
    ...commandsIn(next).flatMap((command) => faultsOfCommand(command)),
  ]
}

const COMMAND = /"postern ([^"]+)"/g

export function commandsIn(next: string): readonly string[] {
  return [...next.matchAll(COMMAND)].map(([, words = '']) => words)
}

/** Why the command line would not take these words. */
function faultsOfCommand(words: string): readonly string[] {
  // `x` stands for a path that the source fills in.
  if (/^(?:help|x)\b/.test(words)) return []
  const found = findCommand(words)
  if (!found) return [`there is no command: postern ${words}`]
  try {
    parseArgs(found.command, found.argv)
    return []
  } catch (error) {
    return [`postern ${words}: ${(error as Error).message}`]
  }
}

/** The command that a text names, and its words. Examples such as `<id>` and `…` stand for one word each. */
export function findCommand(words: string) {
  const parts = words.replaceAll(/<[^>]*>/g, 'x').split(' ')
  const command = [3, 2, 1]
    .map((length) => COMMANDS.find(({ path }) => path === parts.slice(0, length).join(' ')))
    .find((each) => each !== undefined)
  return command && { command, argv: parts.slice(command.path.split(' ').length) }
}
