import { writeSync } from 'node:fs'
import { readConfig } from '../../host/config/config.ts'
import { readVariable } from '../../host/config/variables.ts'
import { folderOf } from '../../host/config/working-folder.ts'
import { isQuiet } from '../../host/open/quiet.ts'
import { EXIT } from '../../model/errors.ts'
import { DRAIN_FORM } from '../commands/inbox/drain.ts'
import { configFlags } from '../shell/config-flags.ts'
import { parseArgs } from '../shell/parse.ts'

/** Options that need the command itself: it checks their values, or identifies the caller. */
const COMMAND_ONLY = ['help', 'as', 'session', 'limit', 'max-chars', 'max-tokens', 'max-priority', 'style']

const NOTHING_AS_JSON = `${JSON.stringify({ messages: [], remaining: 0 }, null, 2)}\n`

/**
 * Answers `inbox drain` if nothing waits, which is the case for nearly all drains. Undefined means that the command
 * itself has to run. It then also reports any error in the words.
 */
export function lookForMail(argv: readonly string[]): Promise<number> | undefined {
  try {
    const args = parseArgs(DRAIN_FORM, argv.slice(2))
    if (COMMAND_ONLY.some((name) => args.has(name))) return undefined
    const { env } = process
    const agent = args.get('agent') ?? readVariable(env, 'caller')
    const flags = configFlags(args)
    const config = readConfig({ flags, env, cwd: folderOf({ flags, env }) })
    if (!agent || !isQuiet(config, agent, Date.now())) return undefined
    writeSync(1, args.has('json') ? NOTHING_AS_JSON : 'No messages.\n')
    return Promise.resolve(EXIT.ok)
  } catch {
    return undefined
  }
}
