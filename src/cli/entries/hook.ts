import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { answerHook } from '../../hooks/hook.ts'
import type { Host } from '../../hooks/hosts/host.ts'
import { parseStopCap } from '../../hooks/stop-limit.ts'
import { HOOK_TIMEOUTS, type HookTimeouts } from '../../hooks/timeouts.ts'
import { startWatcher } from '../../hooks/watch/start.ts'
import { readFolderConfig } from '../../host/config/folder-config.ts'
import { noteFault } from '../../host/hook-log.ts'
import { randomToken } from '../../kit/node/crypto.ts'
import { programAbove, starterAbove } from '../../kit/node/host-process.ts'
import { processAgeMs } from '../../kit/node/process-age.ts'
import { ownPid, type ProcessId } from '../../kit/node/processes.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import type { HookRun } from './hook-look.ts'

const NONCE_LENGTH = 12

/** Answers an event that the look could not answer. Every fault is noted for `doctor`. */
export async function answerEvent(run: HookRun, timeouts: HookTimeouts = HOOK_TIMEOUTS): Promise<void> {
  const { words, hostName, host, agent, input, sources, home } = run
  const { env, cwd } = sources
  const note = (error: unknown) =>
    noteFault(home, { at: new Date().toISOString(), host: hostName, event: '', fault: reasonOf(error) })
  const starter = () => starterAbove(ownPid())
  try {
    if (!host) return note('there is no such host')
    await answerHook({
      host,
      agent,
      input,
      home,
      readConfig: (folder) => (folder === cwd && run.config) || readFolderConfig({ ...sources, cwd: folder }, note),
      cwd,
      opened: run.opened,
      settings: {
        stopCap: parseStopCap(host, host.stopCapVariable === null ? undefined : env[host.stopCapVariable]),
        ageMs: processAgeMs(),
        timeouts,
        nonce: () => randomToken(NONCE_LENGTH),
        hostProcess: () => hostProcess(host),
        starter,
        markers: findMarkers,
      },
    })
    if (input.event) {
      await startWatcher({ host, home, event: input.event, words, hostProcess: () => hostProcess(host), starter })
    }
  } catch (error) {
    note(error)
  }
}

function hostProcess({ programs }: Host): ProcessId | undefined {
  return programAbove(ownPid(), programs)
}

/** The gate markers of a session, `.runtime/gates/<session>/<gate>`, in the format of seed 000. */
function findMarkers(root: string, sessionId: string): readonly string[] {
  if (!/^[\w-]{1,200}$/.test(sessionId)) return []
  try {
    return readdirSync(join(root, '.runtime', 'gates', sessionId))
  } catch {
    return []
  }
}
