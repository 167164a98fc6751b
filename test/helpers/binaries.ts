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

/** Every program that the tests start and that a small Debian may lack. */
export const PROGRAMS = {
  bash: { debianPackage: 'bash' },
  chromium: { debianPackage: 'chromium' },
  'chromium-headless-shell': { debianPackage: 'chromium-headless-shell' },
  curl: { debianPackage: 'curl' },
  flock: { debianPackage: 'util-linux' },
  git: { debianPackage: 'git' },
  initdb: { debianPackage: 'postgresql', folders: '/usr/lib/postgresql/*/bin' },
  ip: { debianPackage: 'iproute2', folders: '/usr/sbin' },
  'mkfs.ext4': { debianPackage: 'e2fsprogs', folders: '/usr/sbin' },
  'nats-server': { debianPackage: 'nats-server', folders: '/usr/sbin' },
  openssl: { debianPackage: 'openssl' },
  perl: { debianPackage: 'perl-base' },
  ps: { debianPackage: 'procps' },
  python3: { debianPackage: 'python3' },
  'redis-cli': { debianPackage: 'redis-tools' },
  'redis-server': { debianPackage: 'redis-server' },
  script: { debianPackage: 'bsdutils' },
  setpriv: { debianPackage: 'util-linux' },
  strace: { debianPackage: 'strace' },
  tmux: { debianPackage: 'tmux' },
  zsh: { debianPackage: 'zsh' },
} as const satisfies Readonly<Record<string, Omit<Binary, 'name'>>>

export type ProgramName = keyof typeof PROGRAMS

const binaryOf = (name: ProgramName): Binary => ({ name, ...PROGRAMS[name] })

/** The path of one of the programs above; see `findBinary`. */
export function findProgram(name: ProgramName): string | undefined {
  return findBinary(binaryOf(name))
}

/** The path of one of the programs above where it is there already. */
export function lookUpProgram(name: ProgramName): string | undefined {
  return lookUp(binaryOf(name))
}

/** A program and where to get it, in words. */
export function describeProgram(name: ProgramName): string {
  return `${name} (Debian package ${PROGRAMS[name].debianPackage})`
}

/**
 * Installs all of these programs that are missing, at once. Where apt-get does not know one package it installs none of
 * them: then each is tried by itself. Returns the programs that are still missing.
 */
export function installPrograms(names: readonly ProgramName[]): readonly ProgramName[] {
  const missing = listMissing(names)
  if (missing.length === 0 || !canInstall()) return missing
  install(missing.map((name) => PROGRAMS[name].debianPackage))
  const left = listMissing(missing)
  if (missing.length > 1) for (const name of left) install([PROGRAMS[name].debianPackage])
  return listMissing(left)
}

function listMissing(names: readonly ProgramName[]): readonly ProgramName[] {
  return names.filter((name) => lookUpProgram(name) === undefined)
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

/** Set once the machine was prepared: trying again would only take time. */
export const PREPARED = 'POSTERN_PREPARED'
export const isPrepared = () => process.env[PREPARED] === '1'

function canInstall(): boolean {
  if (isPrepared()) return false
  return process.getuid?.() === 0 && lookUp({ name: 'apt-get', debianPackage: 'apt' }) !== undefined
}

let isUpdated = false

function installAndLookUp(binary: Binary): string | undefined {
  install([binary.debianPackage])
  return lookUp(binary)
}

function install(debianPackages: readonly string[]): void {
  const wanted = [...new Set(debianPackages)]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  try {
    console.error(`installing the Debian packages ${wanted.join(', ')} …`)
    if (!isUpdated) {
      // Without a network it fails each time, and takes long.
      isUpdated = true
      apt('update')
    }
    apt('install', '-y', '--no-install-recommends', ...wanted)
  } catch (error) {
    console.error(`apt-get could not install ${wanted.join(', ')}: ${(error as Error).message}`)
  }
}
