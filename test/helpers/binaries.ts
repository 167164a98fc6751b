import { execFileSync } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export interface Binary {
  readonly name: string
  /** Debian's package that holds it. */
  readonly debianPackage: string
  /** Folders beside those of PATH; of several the last counts, so that the newest version does. */
  readonly folders?: string
}

/**
 * The path of a program that tests need. Where it is missing it is installed if that can be done without asking
 * anybody; otherwise the tests that need it are skipped and say so, except in CI, where skipping would hide things.
 */
export function findBinary(binary: Binary): string | undefined {
  const found = lookUp(binary) ?? (canInstall() ? installAndLookUp(binary) : undefined)
  if (found !== undefined) return found
  const advice = `${binary.name} is not there: install the package ${binary.debianPackage}`
  if (process.env.CI === 'true') throw new Error(advice)
  console.error(`\n*** ${advice}. The tests that need it are skipped. ***\n`)
  return undefined
}

function lookUp({ name, folders }: Binary): string | undefined {
  const given = folders === undefined ? [] : globSync(folders).sort(byVersion).reverse()
  const path = (process.env.PATH ?? '').split(delimiter)
  return [...given, ...path].map((folder) => join(folder, name)).find(isExecutable)
}

function byVersion(a: string, b: string): number {
  return a.localeCompare(b, 'en', { numeric: true })
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function canInstall(): boolean {
  return process.getuid?.() === 0 && lookUp({ name: 'apt-get', debianPackage: 'apt' }) !== undefined
}

let isUpdated = false

function installAndLookUp(binary: Binary): string | undefined {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  try {
    console.error(`installing ${binary.debianPackage} for ${binary.name} …`)
    if (!isUpdated) apt('update')
    isUpdated = true
    apt('install', '-y', '--no-install-recommends', binary.debianPackage)
  } catch (error) {
    console.error(`apt-get could not install ${binary.debianPackage}: ${(error as Error).message}`)
  }
  return lookUp(binary)
}
