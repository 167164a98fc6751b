import { dirname } from 'node:path'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { takeLockFile } from '../../kit/node/lock-file.ts'
import type { ProcessId } from '../../kit/node/processes.ts'
import type { HookEvent, HookEventName, Host } from '../hosts/host.ts'
import { watchLock } from './place.ts'

export interface StartWatcher {
  readonly host: Host
  readonly home: string
  readonly event: HookEvent
  /** The words of the hook itself, from which the watcher's are made. */
  readonly words: readonly string[]
  /** The process of the host, whose end the store tells; undefined where it is not known. */
  readonly hostProcess: () => ProcessId | undefined
  /** Whatever else has run the hook. */
  readonly starter: () => ProcessId | undefined
}

/** Where a session that may come to rest is met: it needs a watcher from then on. */
const STARTS: readonly HookEventName[] = ['session.start', 'turn.stop']

/**
 * Starts the watcher of a host that has no background hooks, unless there is one. It is nobody's child: it holds nothing
 * of the hook's open and lives on when that ends, but not for longer than the session's host. Where that is not known,
 * it lives as long as what has run the hook. Throws nothing that would matter to the host.
 */
export async function startWatcher({ host, home, event, words, ...processes }: StartWatcher): Promise<void> {
  if (host.wake !== 'queue') return
  if (!event.sessionId || event.isSubagent || !STARTS.includes(event.name)) return
  const path = watchLock(home, event.sessionId)
  makePrivateFolder(dirname(path))
  const lock = await takeLockFile(path)
  if (!lock) return
  lock.close()
  const bound = boundOf(processes)
  if (!bound) return
  const { spawn } = process.getBuiltinModule('node:child_process')
  const program = process.argv[1] ?? ''
  const given = [program, 'hook', ...words, '--rewake', `--session=${event.sessionId}`, ...bound]
  const watcher = spawn(process.execPath, given, { detached: true, stdio: 'ignore' })
  watcher.on('error', () => {})
  watcher.unref()
}

/** The words that bind a watcher to a process; undefined where there is none, so that it would outlive everything. */
function boundOf({
  hostProcess,
  starter,
}: Pick<StartWatcher, 'hostProcess' | 'starter'>): readonly string[] | undefined {
  if (hostProcess()) return []
  const process = starter()
  return process && [`--starter=${process.pid}:${Math.round(process.startedAt)}`]
}
