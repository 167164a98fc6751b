import { globSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openFlock } from '../../src/kit/node/native/flock.ts'
import { isPrepared } from '../helpers/binaries.ts'
import { runNpm } from '../helpers/packages.ts'

/**
 * The clients that the tests drive, as their vendors publish them. They are 900 MB together, so they are installed on
 * demand into a folder of their own that all runs share, and never by `npm install`.
 */
export const CLIENTS = {
  claude: {
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    program: `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`,
  },
  codex: {
    package: '@openai/codex',
    version: '0.166.0',
    program: `node_modules/@openai/codex-${process.platform}-${process.arch}/vendor/*/bin/codex`,
  },
  gemini: {
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'node_modules/@google/gemini-cli/bundle/gemini.js',
  },
} as const satisfies Record<string, Client>

interface Client {
  readonly package: string
  readonly version: string
  /** Where the program lies below the folder of the installation; a pattern. */
  readonly program: string
}

export type ClientName = keyof typeof CLIENTS

const OWN_FOLDER = fileURLToPath(new URL('../../.cache/clients', import.meta.url))
const INSTALL_TIMEOUT_MS = 10 * 60_000

export function clientsFolder(): string {
  const given = process.env['POSTERN_CLIENTS']
  return given ? resolve(given) : OWN_FOLDER
}

/** The programs' paths; installs what is missing, one installer at a time. Throws where one cannot be had. */
export async function installClients(names: readonly ClientName[]): Promise<Record<ClientName, string>> {
  const folder = clientsFolder()
  if (names.some((name) => findProgram(name) === undefined)) {
    if (isPrepared()) throw new Error('npm could not install them at the start of this run')
    mkdirSync(folder, { recursive: true })
    const lock = openFlock(join(folder, 'lock'))
    try {
      await lock?.lock(INSTALL_TIMEOUT_MS)
      for (const name of names) if (findProgram(name) === undefined) await install(name)
    } finally {
      lock?.close()
    }
  }
  return Object.fromEntries(names.map((name) => [name, programOf(name)])) as Record<ClientName, string>
}

function programOf(name: ClientName): string {
  const program = findProgram(name)
  if (program === undefined) throw new Error(`${CLIENTS[name].package} has no program for this machine`)
  return program
}

function findProgram(name: ClientName): string | undefined {
  const [found] = globSync(join(homeOf(name), CLIENTS[name].program))
  return found
}

function homeOf(name: ClientName): string {
  return join(clientsFolder(), `${name}-${CLIENTS[name].version}`)
}

/** Whole or not at all: the folder gets its name only once npm is done. */
async function install(name: ClientName): Promise<void> {
  const { package: packageName, version } = CLIENTS[name]
  const home = homeOf(name)
  const unfinished = `${home}.${process.pid}`
  console.error(`installing ${packageName}@${version} into ${home} …`)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error']
  try {
    mkdirSync(unfinished, { recursive: true })
    await runNpm('install', '--prefix', unfinished, ...options, `${packageName}@${version}`)
    rmSync(home, { recursive: true, force: true })
    renameSync(unfinished, home)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}
