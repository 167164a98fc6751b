import { openConfigured } from '../host/open.ts'
import { EXIT, PosternError } from '../model/errors.ts'
import type { Command } from './command.ts'
import { agentAdd, agentList, agentRemove, agentRename, agentShow } from './commands/agent.ts'
import { configShow, configTrust } from './commands/config.ts'
import {
  inboxAck,
  inboxCancel,
  inboxDeadList,
  inboxDeadRetry,
  inboxHeldList,
  inboxHeldRelease,
  inboxList,
  inboxSearch,
  inboxShow,
  inboxWait,
} from './commands/inbox.ts'
import { inboxDrain } from './commands/inbox-drain.ts'
import { inboxPushAndWait } from './commands/inbox-push-wait.ts'
import { tour } from './commands/tour.ts'
import { trace } from './commands/trace.ts'
import { backup, doctor, migrate } from './commands/upkeep.ts'
import { version } from './commands/version.ts'
import { completionCommand } from './completion.ts'
import { helpFor, overview } from './help.ts'
import { printLine, report, runCommand } from './run.ts'
import { nearest } from './suggest.ts'

/** Every command there is, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  inboxPushAndWait,
  inboxDrain,
  inboxList,
  inboxShow,
  inboxAck,
  inboxWait,
  inboxCancel,
  inboxSearch,
  inboxHeldList,
  inboxHeldRelease,
  inboxDeadList,
  inboxDeadRetry,
  agentAdd,
  agentList,
  agentShow,
  agentRename,
  agentRemove,
  trace,
  doctor,
  migrate,
  backup,
  configShow,
  configTrust,
  tour,
  completionCommand(() => COMMANDS),
  version,
]

const MAX_WORDS = 3

/** Finds the command that the words name, and runs it. */
export async function runMain(argv: readonly string[]): Promise<number> {
  const words = argv[0] === 'help' ? argv.slice(1) : argv
  const asksForHelp = argv[0] === 'help' || argv.includes('--help') || argv.includes('-h')
  if (words.includes('--version') && words.length === 1) return runCommand(version, [], openConfigured)

  const command = findCommand(words)
  if (command && !asksForHelp) return runCommand(command, words.slice(command.path.split(' ').length), openConfigured)
  if (command) return show(helpFor(command))

  const [noun] = words.filter((word) => !word.startsWith('-'))
  if (noun === undefined) return show(overview(COMMANDS))
  const isNoun = COMMANDS.some(({ path }) => path.startsWith(`${noun} `))
  if (isNoun && (asksForHelp || words.length === 1)) return show(overview(COMMANDS, noun))
  return report(unknownCommand(words, isNoun ? noun : undefined), argv.includes('--json'))
}

/** The longest path that the words begin with. */
function findCommand(words: readonly string[]): Command | undefined {
  for (let length = MAX_WORDS; length > 0; length--) {
    const path = words.slice(0, length).join(' ')
    const command = COMMANDS.find((each) => each.path === path)
    if (command) return command
  }
  return undefined
}

function unknownCommand(words: readonly string[], noun: string | undefined): PosternError {
  const typed = words
    .filter((word) => !word.startsWith('-'))
    .slice(0, MAX_WORDS - 1)
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
