import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const WANTED = fileURLToPath(new URL('./peers/package.json', import.meta.url))
const FOLDER = fileURLToPath(new URL('../.cache/bench-peers/', import.meta.url))

/** Installs what Postern is compared with, in exact versions and without scripts, beside the project and not into it. */
export function installPeers(): void {
  const installed = join(FOLDER, 'installed.json')
  if (existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(WANTED, 'utf8')) return
  mkdirSync(FOLDER, { recursive: true })
  copyFileSync(WANTED, join(FOLDER, 'package.json'))
  console.error('installing the peers into .cache/bench-peers …')
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  execFileSync('npm', args, { cwd: FOLDER, stdio: ['ignore', 'ignore', 'inherit'] })
  copyFileSync(WANTED, installed)
}

/** Throws where the peer could not be installed; its rows then say so. */
export async function importPeer<T>(name: string): Promise<T> {
  let path: string
  try {
    path = createRequire(join(FOLDER, 'package.json')).resolve(name)
  } catch {
    throw new Error(`${name} is not installed`)
  }
  const module = (await import(pathToFileURL(path).href)) as T & { default?: T }
  return { ...module.default, ...module }
}

export function peerVersions(): string {
  const { dependencies } = JSON.parse(readFileSync(WANTED, 'utf8')) as { dependencies: Record<string, string> }
  return Object.entries(dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')
}
