import { openHot } from '../host/open-hot.ts'
import type { HotPostern } from '../model/postern.ts'
import type { Command } from './command.ts'
import { inboxDrain } from './commands/inbox-drain.ts'
import { inboxPush } from './commands/inbox-push.ts'
import { runCommand } from './run.ts'

/** The commands that run thousands of times a day: they load nothing that they do not need. */
const HOT: readonly Command<HotPostern>[] = [inboxPush, inboxDrain]

/** What the hot forms of these commands cannot do. */
const ASKS_FOR_MORE = /^(?:-h|--help|--wait-for(?:=.*)?)$/

/** Runs a hot command; undefined where the words ask for another, or for more. */
export function runHot(argv: readonly string[]): Promise<number> | undefined {
  const command = HOT.find(({ path }) => path === argv.slice(0, 2).join(' '))
  if (!command || argv.some((word) => ASKS_FOR_MORE.test(word))) return undefined
  return runCommand(command, argv.slice(2), openHot)
}
