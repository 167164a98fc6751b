import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { openFlock } from '../../src/kit/node/native/flock.ts'
import { isPrepared } from './binaries.ts'

/** Folders with packages of their own, which `npm install` leaves out because of their size. */
export const PACKAGE_FOLDERS = { 'test/hiero': '224 MB', 'test/mcp': '143 MB' } as const

export type PackageFolder = keyof typeof PACKAGE_FOLDERS

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CACHE = join(ROOT, '.cache', 'packages')
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
const INSTALL_TIMEOUT_MS = 10 * 60_000

/** Installs the packages of a folder where they are missing or older than its package-lock.json. Throws where npm cannot. */
export async function installPackages(folder: PackageFolder): Promise<void> {
  if (isCurrent(folder)) return
  if (isPrepared()) throw new Error('npm could not install them at the start of this run')
  mkdirSync(CACHE, { recursive: true })
  const lock = openFlock(join(CACHE, `${basename(folder)}.lock`))
  try {
    await lock?.lock(INSTALL_TIMEOUT_MS)
    if (!isCurrent(folder)) await install(folder)
  } finally {
    lock?.close()
  }
}

/** npm writes its own lock file into node_modules when it is done. */
function isCurrent(folder: PackageFolder): boolean {
  const timeOf = (path: string) => statSync(join(ROOT, folder, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
  return timeOf('node_modules/.package-lock.json') >= timeOf('package-lock.json')
}

/** Whole or not at all: node_modules gets its place only once npm is done. */
async function install(folder: PackageFolder): Promise<void> {
  const home = join(ROOT, folder)
  const unfinished = join(CACHE, `${basename(folder)}.${process.pid}`)
  console.error(`installing the packages of ${folder} (${PACKAGE_FOLDERS[folder]}) …`)
  try {
    mkdirSync(unfinished, { recursive: true })
    for (const file of ['.npmrc', 'package.json', 'package-lock.json'])
      copyFileSync(join(home, file), join(unfinished, file))
    await runNpm('ci', '--prefix', unfinished, ...OPTIONS)
    rmSync(join(home, 'node_modules'), { recursive: true, force: true })
    renameSync(join(unfinished, 'node_modules'), join(home, 'node_modules'))
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

/** npm prefers versions that fit the Node it runs on, and the machine's own may be too old for the one that we name. */
export async function runNpm(...args: readonly string[]): Promise<void> {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}` }
  await promisify(execFile)('npm', args, { env, timeout: INSTALL_TIMEOUT_MS })
}

/** npm says first what it did, and only then why that failed. */
export function reasonOfNpm(error: unknown): string {
  const lines = (error instanceof Error ? error.message : String(error)).split('\n')
  return [lines[0], ...lines.filter((line) => /^npm error (?:code|\w*Error)/.test(line))].join('; ')
}
