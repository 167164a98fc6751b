import { statSync } from 'node:fs'
import type { HealthCheck } from '../model/postern.ts'
import type { Config } from './config.ts'

/** What can be said about the installation before any store is opened. */
export function inspectHome(config: Config): HealthCheck[] {
  return [runtime(), home(config)]
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
