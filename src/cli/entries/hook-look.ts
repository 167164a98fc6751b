import { writeSync } from 'node:fs'
import { resolve } from 'node:path'
import type { HookEventName, Host } from '../../hooks/hosts/host.ts'
import { findHost } from '../../hooks/hosts/hosts.ts'
import { type HookInput, parseInput } from '../../hooks/parse-input.ts'
import { type Config, type ConfigSources, findHome, readConfig } from '../../host/config/config.ts'
import { readVariable } from '../../host/config/variables.ts'
import { workingFolder } from '../../host/config/working-folder.ts'
import { appendFault } from '../../host/hook-fault.ts'
import type { OpenOptions } from '../../host/open/context.ts'
import { isHookIdle } from '../../host/open/quiet.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { EXIT } from '../../model/errors.ts'
import { HOOK_FORM } from '../commands/hook/hook.ts'
import { watchInBackground } from '../commands/wake/watch.ts'
import { parseArgs } from '../shell/parse.ts'
import { leave, readInput } from './hook-input.ts'

/** Events that can only deliver. If nothing waits, there is nothing to do for them. */
const DELIVERING: readonly HookEventName[] = ['prompt.submit', 'tool.before', 'tool.after']

/** One run of a hook: its words, environment and input, parsed once. */
export interface HookRun {
  readonly words: readonly string[]
  readonly hostName: string
  /** Undefined if there is no host of that name. */
  readonly host: Host | undefined
  readonly agent: string | undefined
  readonly input: HookInput
  readonly sources: ConfigSources
  readonly home: string
  /** The configuration of the working folder, if the look has read it. */
  config?: Config
  /** The store, if the look has opened it. */
  opened?: OpenOptions['opened']
}

/** The rest of the program, loaded if the look could not answer. */
type Answer = (run: HookRun) => Promise<void>
type LoadAnswer = (event: string) => Answer

/**
 * Answers one event of a host, from stdin to stdout. Undefined if the words ask for help instead. The exit code is 0
 * whatever happens, because a host takes any other code for a refusal.
 */
export function runHook(
  argv: readonly string[],
  loadAnswer: LoadAnswer,
  inputTimeoutMs?: number,
): Promise<never> | undefined {
  const words = argv.slice(1)
  if (words.includes('--help') || words.includes('-h')) return undefined
  if (words.includes('--rewake')) return watchInBackground(words)
  return readInput(inputTimeoutMs)
    .then((text) => {
      const run = parseRun(words, text)
      return isAnswered(run) ? undefined : loadAnswer(run.input.event?.name ?? 'event')(run)
    })
    .catch(noteUnanswered)
    .then(() => leave(EXIT.ok))
}

/** Notes why the rest of the program could not run. Once it runs, it notes its own faults. */
function noteUnanswered(error: unknown): void {
  const home = findHome({ flags: {}, env: process.env, cwd: '/' })
  appendFault(home, { at: new Date().toISOString(), host: '', event: '', fault: reasonOf(error) })
}

/** Throws if the words are wrong. */
function parseRun(words: readonly string[], text: string): HookRun {
  const args = parseArgs(HOOK_FORM, words)
  const { env } = process
  const cwd = workingFolder()
  const [home, store] = [args.get('home'), args.get('store')]
  // The session may run in another folder and be configured there. A relative home must still mean the same folder.
  const flags = { ...(home !== undefined && { home: resolve(cwd, home) }), ...(store !== undefined && { store }) }
  const sources = { flags, env, cwd }
  const agent = readVariable(env, 'caller') || args.get('agent') || undefined
  const hostName = args.get('host') ?? ''
  const host = findHost(hostName)
  const input = host ? parseInput(host, agent, text) : {}
  return { words, hostName, host, agent, input, sources, home: findHome(sources) }
}

/** Answers if nothing waits, which is the case for nearly all hooks that get this far. In any doubt it returns false. */
function isAnswered(run: HookRun): boolean {
  const { host, agent, sources } = run
  const { event } = run.input
  if (!host || !agent || !event?.sessionId || !DELIVERING.includes(event.name)) return false
  try {
    const config = readConfig(sources)
    run.config = config
    const lend = (opened: HookRun['opened']) => {
      run.opened = opened
    }
    const { sessionId } = event
    if (!isHookIdle(config, { agent, sessionId, lend })) return false
    const answer = host.render(event, {})
    if (answer !== '') writeSync(1, `${answer}\n`)
    return true
  } catch {
    return false
  }
}
