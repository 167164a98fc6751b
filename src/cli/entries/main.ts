import { EXIT, PosternError } from '../../model/errors.ts'
import { COMMANDS } from '../commands/commands.ts'
import { version } from '../commands/version/version.ts'
import type { Command } from '../shell/command.ts'
import { endOptions } from '../shell/command-line.ts'
import { helpFor, overview } from '../shell/help.ts'
import { asksForJson, printError, printLine, runCommand } from '../shell/run-command.ts'
import { nearest } from '../shell/suggest.ts'

const MAX_WORDS = 3

/** Finds the command that the words name, and runs it or explains it. */
export async function runMain(argv: readonly string[]): Promise<number> {
  const isAboutHelp = argv[0] === 'help'
  const words = isAboutHelp ? argv.slice(1) : argv
  const command = findCommand(words)
  if (command) {
    const typed = words.slice(command.path.split(' ').length)
    const rest = command.takesCommand ? endOptions(command, typed) : typed
    return isAboutHelp ? show(helpFor(command)) : runCommand(command, rest)
  }
  if (words.length === 1 && words[0] === '--version') return runCommand(version, [])

  const [noun] = words
  if (noun === undefined || isHelp(noun)) return show(overview(COMMANDS))
  const isGroup = (group: string) => COMMANDS.some(({ path }) => path.startsWith(`${group} `))
  const helpAt = words.findIndex(isHelp)
  const group = (helpAt < 0 ? words : words.slice(0, helpAt)).join(' ')
  if (isGroup(group)) return show(overview(COMMANDS, group))
  return printError(unknownCommand(words, isGroup(noun) ? noun : undefined), asksForJson(words))
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

/** The command with the longest path that the words start with. */
function findCommand(words: readonly string[]): Command | undefined {
  for (let length = MAX_WORDS; length > 0; length--) {
    const path = words.slice(0, length).join(' ')
    const command = COMMANDS.find((each) => each.path === path)
    if (command) return command
  }
  return undefined
}

/** The error repeats only words that look like commands. Other words may be secrets. */
function unknownCommand(words: readonly string[], noun: string | undefined): PosternError {
  if (words[0]?.startsWith('-')) {
    return new PosternError('USAGE', {
      message: 'The command comes first, options follow it.',
      next: 'See "postern help".',
    })
  }
  const typed = words
    .slice(0, 2)
    .filter((word) => /^[a-z-]{1,20}$/.test(word))
    .join(' ')
  const paths = COMMANDS.map(({ path }) => path)
  const near = nearest(typed, paths) ?? nearest(typed, [...new Set(paths.map((path) => path.split(' ')[0] ?? ''))])
  return new PosternError('USAGE', {
    message: `There is no command "${typed}".`,
    next: near ? `Did you mean "postern ${near}"?` : `See "postern ${noun ? `help ${noun}` : 'help'}".`,
  })
}

function show(text: string): number {
  printLine(text)
  return EXIT.ok
}
