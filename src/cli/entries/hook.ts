import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { answerHook } from '../../hooks/hook.ts'
import { findHost, parseStopCap } from '../../hooks/hosts/hosts.ts'
import { HOOK_TIMEOUTS, type HookTimeouts } from '../../hooks/timeouts.ts'
import { startWatcher } from '../../hooks/watch/start.ts'
import { findHome } from '../../host/config/config.ts'
import { readFolderConfig } from '../../host/config/folder-config.ts'
import { readVariable } from '../../host/config/variables.ts'
import { noteFault } from '../../host/hook-log.ts'
import { randomToken } from '../../kit/node/crypto.ts'
import { programAbove } from '../../kit/node/host-process.ts'
import { processAgeMs } from '../../kit/node/process-age.ts'
import { reasonOf } from '../../kit/pure/reason-of.ts'
import { HOOK_FORM } from '../commands/hook/hook.ts'
import { parseArgs } from '../shell/parse.ts'
import type { Found } from './hook-look.ts'

const NONCE_LENGTH = 12

/**
 * Answers one event of a host as far as it takes: its input is what came on standard input. What a look has found
 * before is not looked for again.
 */
export async function answerEvent(
  words: readonly string[],
  input: string,
  found: Found = {},
  timeouts: HookTimeouts = HOOK_TIMEOUTS,
): Promise<void> {
  const { env } = process
  const cwd = workingFolder()
  let home = findHome({ flags: {}, env, cwd })
  let name = ''
  const note = (error: unknown) => {
    const fault = reasonOf(error)
    noteFault(home, { at: new Date().toISOString(), host: name, event: '', fault })
  }
  try {
    const args = parseArgs(HOOK_FORM, words)
    const flags = flagsOf(cwd, args.get('home'), args.get('store'))
    home = findHome({ flags, env, cwd })
    name = args.get('host') ?? ''
    const host = findHost(name)
    if (!host) return note('there is no such host')
    await answerHook({
      host,
      agent: readVariable(env, 'caller') || args.get('agent') || undefined,
      input,
      home,
      readConfig: (folder) => (folder === cwd && found.config) || readFolderConfig({ flags, env, cwd: folder }, note),
      cwd,
      opened: found.opened,
      settings: {
        stopCap: parseStopCap(host, host.stopCapVariable === null ? undefined : env[host.stopCapVariable]),
        ageMs: processAgeMs(),
        timeouts,
        nonce: () => randomToken(NONCE_LENGTH),
        hostProcess: () => programAbove(process.pid, host.programs),
        markers: findMarkers,
      },
    })
    await startWatcher({ host, home, input, words })
  } catch (error) {
    note(error)
  }
}

/** A folder that was removed under its agent's feet is no reason to say nothing. */
function workingFolder(): string {
  try {
    return process.cwd()
  } catch {
    return '/'
  }
}

function flagsOf(cwd: string, home: string | undefined, store: string | undefined) {
  return { ...(home !== undefined && { home: resolve(cwd, home) }), ...(store !== undefined && { store }) }
}

/** Markers of the seed's kind: `.runtime/gates/<session>/<gate>`. Those of an earlier session lie elsewhere. */
function findMarkers(root: string, sessionId: string): readonly string[] {
  if (!/^[\w-]{1,200}$/.test(sessionId)) return []
  try {
    return readdirSync(join(root, '.runtime', 'gates', sessionId))
  } catch {
    return []
  }
}
