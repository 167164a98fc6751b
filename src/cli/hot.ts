import { openHot } from '../host/open-hot.ts'
import type { HotPostern } from '../model/postern.ts'
import { inboxDrain } from './commands/inbox/drain.ts'
import { inboxPush } from './commands/inbox/push.ts'
import type { Args, Command } from './shell/command.ts'
import { parseArgs } from './shell/parse.ts'
import { runCommand } from './shell/run-command.ts'

/** The commands that run thousands of times a day: they load nothing that they do not need. */
const HOT: readonly Command<HotPostern>[] = [inboxPush, inboxDrain]

/** Runs a hot command; undefined where the words ask for another, or for more than its hot form can do. */
export function runHot(argv: readonly string[]): Promise<number> | undefined {
  const command = HOT.find(({ path }) => path === argv.slice(0, 2).join(' '))
  if (!command || asksForMore(command, argv.slice(2))) return undefined
  return runCommand(command, argv.slice(2), openHot)
}

/** Words that cannot be read are an error that the command itself reports. */
function asksForMore(command: Command<HotPostern>, words: readonly string[]): boolean {
  let args: Args
  try {
    args = parseArgs(command, words)
  } catch {
    return false
  }
  return args.has('help') || args.has('wait-for') || args.has('style')
}
