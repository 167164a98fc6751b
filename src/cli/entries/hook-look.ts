import { writeSync } from 'node:fs'
import type { HookEventName } from '../../hooks/hosts/host.ts'
import { findHost } from '../../hooks/hosts/hosts.ts'
import { SHADOW_FOLDER } from '../../hooks/shadow.ts'
import { type Config, findHome, readConfig } from '../../host/config/config.ts'
import { readVariable } from '../../host/config/variables.ts'
import { noteFault } from '../../host/hook-log.ts'
import type { OpenOptions } from '../../host/open/context.ts'
import { isHookIdle } from '../../host/open/quiet.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { EXIT } from '../../model/errors.ts'
import { HOOK_FORM } from '../commands/hook/hook.ts'
import { watchInBackground } from '../commands/wake/watch.ts'
import { configFlags } from '../shell/config-flags.ts'
import { parseArgs } from '../shell/parse.ts'
import { leave, readInput } from './hook-input.ts'

/** Events that can only deliver, so that there is nothing to do where nothing waits. */
const DELIVERING: readonly HookEventName[] = ['prompt.submit', 'tool.before', 'tool.after']

/** What the short way has found, for the whole one to go on with. */
export interface Found {
  /** As it is for the working folder. */
  config?: Config
  opened?: OpenOptions['opened']
  event?: HookEventName
}

/** The whole way, loaded where the short one ends. */
type Answer = (words: readonly string[], input: string, found: Found) => Promise<void>
type LoadAnswer = (event: string) => Answer

/**
 * Answers one event of a host, from standard input to standard output. Undefined where the words ask for something else
 * than that. It ends with 0 whatever happens: a host takes other codes for a refusal.
 */
export function runHook(
  argv: readonly string[],
  loadAnswer: LoadAnswer,
  inputTimeoutMs?: number,
): Promise<never> | undefined {
  const words = argv.slice(1)
  if (words.includes('--help') || words.includes('-h')) return undefined
  if (words.includes('--rewake')) return watchInBackground(words)
  const found: Found = {}
  return readInput(inputTimeoutMs)
    .then((input) =>
      isAnswered(words, input, found) ? undefined : loadAnswer(found.event ?? 'event')(words, input, found),
    )
    .catch(noteUnanswered)
    .then(() => leave(EXIT.ok))
}

/** The whole way notes its own faults: what comes here kept it from being gone at all. */
function noteUnanswered(error: unknown): void {
  const fault = reasonOf(error)
  const home = findHome({ flags: {}, env: process.env, cwd: '/' })
  noteFault(home, { at: new Date().toISOString(), host: '', event: '', fault })
}

/** True where nothing waits, which is what nearly all hooks find that come this far. In any doubt it is false. */
function isAnswered(words: readonly string[], input: string, found: Found): boolean {
  try {
    const args = parseArgs(HOOK_FORM, words)
    const { env } = process
    const agent = readVariable(env, 'caller') || args.get('agent')
    const host = findHost(args.get('host') ?? '')
    const event = host?.parse(JSON.parse(input))
    if (event) found.event = event.name
    if (!host || !agent || !event?.sessionId || !DELIVERING.includes(event.name)) return false
    const flags = configFlags(args)
    const config = readConfig({ flags, env, cwd: process.cwd() })
    found.config = config
    const lend = (opened: Found['opened']) => {
      found.opened = opened
    }
    const { sessionId } = event
    if (!isHookIdle(config, { agent, sessionId, shadows: `${config.home}/${SHADOW_FOLDER}`, lend })) return false
    const text = host.render(event, {})
    if (text !== '') writeSync(1, `${text}\n`)
    return true
  } catch {
    return false
  }
}
