import { openBussed } from '../host/bus/open-bussed.ts'
import type { BusPostern } from '../model/postern.ts'
import { busPost } from './commands/bus/post.ts'
import { busRead } from './commands/bus/read.ts'
import type { Args, Command } from './shell/command.ts'
import { parseArgs } from './shell/parse.ts'
import { runCommand } from './shell/run-command.ts'

/** The commands by which agents talk on a bus: they load nothing that they do not need. */
const COMMANDS: readonly Command<BusPostern>[] = [busPost, busRead]

/** What asks, answers or tells somebody, which few entries do. */
const BEYOND = ['help', 'attach', 'to', 'ask', 'option', 'select', 'parent']

/** Runs such a command; undefined where the words ask for another, or for more than most entries are. */
export function runBus(argv: readonly string[]): Promise<number> | undefined {
  const command = COMMANDS.find(({ path }) => path === argv.slice(0, 2).join(' '))
  if (!command || asksForMore(command, argv.slice(2))) return undefined
  return runCommand(command, argv.slice(2), openBussed)
}

/** Words that cannot be read are an error that the command itself reports. */
function asksForMore(command: Command<BusPostern>, words: readonly string[]): boolean {
  let args: Args
  try {
    args = parseArgs(command, words)
  } catch {
    return false
  }
  return BEYOND.some((name) => args.has(name))
}
