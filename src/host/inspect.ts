import { statSync } from 'node:fs'
import { reasonOf } from '../kit/pure/reason-of.ts'
import type { HealthCheck } from '../model/postern.ts'
import type { Config } from './config/config.ts'
import { findProjectFile } from './config/config-file.ts'
import { isChangedSinceTrusted } from './config/trust.ts'
import { keyPath, readKey } from './credentials/secret-key.ts'

/** What can be said about the installation before any store is opened. */
export function inspectHome(config: Config, cwd: string): HealthCheck[] {
  return [runtime(), home(config), ...key(config), ...projectTrust(config, cwd)]
}

function runtime(): HealthCheck {
  return {
    name: 'runtime.node',
    ok: true,
    level: 'error',
    detail: `Node ${process.versions.node} on ${process.platform} ${process.arch}`,
  }
}

function home({ home: folder }: Config): HealthCheck {
  const stat = statSync(folder, { throwIfNoEntry: false })
  const isPrivate = stat === undefined || (stat.mode & 0o077) === 0
  return {
    name: 'home.folder',
    ok: isPrivate && (stat?.isDirectory() ?? true),
    level: 'warning',
    detail: stat ? folder : `${folder} (made on first use)`,
    next: `Keep it to yourself: chmod 700 ${folder}`,
  }
}

/** Nothing is said of a key that is good, or is made on first use. */
function key({ home: folder }: Config): HealthCheck[] {
  try {
    readKey(keyPath(folder))
    return []
  } catch (error) {
    const next = 'Restore the file from a backup. Until then messages get no MAC and are shown as not authenticated.'
    return [{ name: 'home.key', ok: false, level: 'warning', detail: reasonOf(error), next }]
  }
}

/** Gates and commands that a project's file sets hold no more once somebody, an agent perhaps, has changed it. */
function projectTrust({ home: folder }: Config, cwd: string): HealthCheck[] {
  const path = findProjectFile(cwd)
  if (path === undefined || !isChangedSinceTrusted(folder, path)) return []
  return [
    {
      name: 'config.trust',
      ok: false,
      level: 'warning',
      detail: `${path} was changed since it was trusted: its gates, hooks and store do not count`,
      next: 'Look at what was changed, then trust it again: postern config trust',
    },
  ]
}
