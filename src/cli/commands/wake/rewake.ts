import { statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Host } from '../../../hooks/hosts/host.ts'
import { findHost } from '../../../hooks/hosts/hosts.ts'
import { type HookInput, parseInput } from '../../../hooks/parse-input.ts'
import { queueInCodex, wakeByQueue } from '../../../hooks/watch/codex.ts'
import { watchLock } from '../../../hooks/watch/place.ts'
import { describeMail, type Watch, watchSession } from '../../../hooks/watch/watch.ts'
import { type Config, isPostgres, readConfig } from '../../../host/config/config.ts'
import { readVariable } from '../../../host/config/variables.ts'
import { folderOf } from '../../../host/config/working-folder.ts'
import { noteFault } from '../../../host/hook-log.ts'
import { open } from '../../../host/open/open.ts'
import { sleep } from '../../../kit/clock/sleep.ts'
import { makePrivateFolder } from '../../../kit/node/folders.ts'
import { takeLockFile } from '../../../kit/node/lock-file.ts'
import { isAlive, type ProcessId } from '../../../kit/node/processes.ts'
import { EXIT } from '../../../model/errors.ts'
import { parseSessionId } from '../../../model/session.ts'
import type { Form } from '../../shell/command.ts'
import { configFlags } from '../../shell/config-flags.ts'
import { parseArgs } from '../../shell/parse.ts'
import { HOOK_FORM } from '../hook/hook.ts'

/** What tells a host to begin a turn with what stands on stderr. */
const WAKE = 2
const STDERR = 2

/** A little less than the time that the host's settings give a watcher. */
const WATCH_MS = (24 * 60 - 5) * 60_000

/** What a hook itself adds to its own words. */
const STARTER = { name: 'starter', value: '<pid:start>', summary: 'end with this process' } as const
const REWAKE_FORM: Form = { ...HOOK_FORM, options: [...(HOOK_FORM.options ?? []), STARTER] }

/**
 * Watches a session in the background until mail waits for it while it rests. Claude Code is then woken by the exit code,
 * Codex through its queue. There is one watcher for a session: a second one leaves at once.
 */
export async function runRewake(words: readonly string[], readInput: () => Promise<string>): Promise<number> {
  const args = parseArgs(REWAKE_FORM, words)
  const { env } = process
  const flags = configFlags(args)
  const config = readConfig({ flags, env, cwd: folderOf({ flags, env }) })
  const host = findHost(args.get('host') ?? '')
  const agent = readVariable(env, 'caller') || args.get('agent')
  if (!host || host.wake === 'none' || !agent) return EXIT.ok
  const named = args.get('session')
  const sessionId = named === undefined ? sessionOf(parseInput(host, agent, await readInput())) : parseSessionId(named)
  if (sessionId === null) return EXIT.ok

  const path = watchLock(config.home, sessionId)
  makePrivateFolder(dirname(path))
  const lock = await takeLockFile(path)
  if (!lock) return EXIT.ok
  process.on('exit', () => lock.remove())
  return watchStore(config, host, { agent, sessionId, starter: parseStarter(args.get('starter')) })
}

/** Null where the event names no session, or is that of a subagent, which nobody can wake. */
function sessionOf({ event }: HookInput): string | null {
  return event && !event.isSubagent ? event.sessionId : null
}

interface Watched {
  readonly agent: string
  readonly sessionId: string
  /** Where the host's own process is not known: the watcher ends with this one. */
  readonly starter: ProcessId | undefined
}

function parseStarter(text = ''): ProcessId | undefined {
  const [, pid, startedAt] = /^(\d+):(\d+)$/.exec(text) ?? []
  return pid === undefined ? undefined : { pid: Number(pid), startedAt: Number(startedAt) }
}

async function watchStore(
  config: Config,
  { name, wake }: Host,
  { agent, sessionId, starter }: Watched,
): Promise<number> {
  const isStoreThere = storeWatch(config)
  if (!isStoreThere()) return EXIT.ok
  const postern = await open(config, { upkeep: false, isLasting: true, limits: config.limits })
  const watch: Watch = {
    postern,
    agent,
    sessionId,
    endsAt: Date.now() + WATCH_MS,
    isStoreThere,
    isStarterGone: () => starter !== undefined && isAlive(starter.pid, starter.startedAt) === 'gone',
    now: Date.now,
    sleep,
  }
  if (wake === 'queue') {
    const note = (fault: string) =>
      noteFault(config.home, { at: new Date().toISOString(), host: name, event: '', fault })
    await wakeByQueue(watch, queueInCodex, note)
    return EXIT.ok
  }
  const find = await watchSession(watch)
  if (!find) return EXIT.ok
  writeSync(STDERR, `${describeMail(agent, find.pending)}\n`)
  return WAKE
}

/** Whoever has a file open does not notice that it is gone, or that another one has its name. */
function storeWatch({ store }: Config): () => boolean {
  if (isPostgres(store)) return () => true
  const inode = () => statSync(store, { throwIfNoEntry: false })?.ino
  const first = inode()
  return () => first !== undefined && inode() === first
}
