import { inboxDrain } from '../commands/inbox/drain.ts'
import { inboxPush } from '../commands/inbox/push.ts'
import type { Command } from '../shell/command.ts'
import { runCommand } from '../shell/run-command.ts'

/** The commands that run thousands of times a day. */
const OFTEN: Readonly<Record<string, () => Promise<Command>>> = {
  'inbox push': async () => inboxPush,
  'inbox drain': async () => inboxDrain,
  'bus post': async () => (await import('../commands/bus/post.ts')).busPost,
  'bus read': async () => (await import('../commands/bus/read.ts')).busRead,
}

/** Runs one of these commands; undefined if the words name another one. */
export function runOften(argv: readonly string[]): Promise<number> | undefined {
  const load = OFTEN[argv.slice(0, 2).join(' ')]
  return load?.().then((command) => runCommand(command, argv.slice(2)))
}
