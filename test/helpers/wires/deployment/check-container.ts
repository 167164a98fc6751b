import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMMANDS } from '../../../../src/cli/commands/commands.ts'
import { endOptions } from '../../../../src/cli/shell/command-line.ts'
import { parseArgs } from '../../../../src/cli/shell/parse.ts'
import type { Container, Place } from './container.ts'

const SOURCES = fileURLToPath(new URL('../../../../src/', import.meta.url))

export const OWN_IMAGE = /^postern:/
const PINNED = /^[a-z0-9./-]+:\d+\.\d+(?:\.\d+)?(?:-[a-z0-9.]+)?$/
const SECRET_NAME = /PASSWORD|TOKEN|SECRET|KEY/
const FROM_OUTSIDE = /^\$(?:\{[A-Z_]+(?::[?-][^}]*)?\}|\([A-Z_]+\))$/

/** Root for one command without a network, which gives a new volume to whom it is for. */
const MAY_BE_ROOT: readonly string[] = ['compose.yaml: own-nats-folder']

/** Whatever is wrong with a container, in words that name it. */
export function checkContainer(container: Container, places: readonly Place[]): string[] {
  const { image, user, where, mounts, volumes } = container
  const faults = [
    ...(PINNED.test(image) ? [] : [`the image ${image} is not pinned`]),
    ...(user || MAY_BE_ROOT.includes(where) ? [] : ['it runs as root']),
    ...mounts.filter((name) => !volumes.includes(name)).map((name) => `there is no volume ${name}`),
    ...checkSecrets(container),
    ...(OWN_IMAGE.test(image) ? [...checkCommand(container), ...checkEnv(container, places)] : []),
  ]
  return faults.map((fault) => `${where}: ${fault}`)
}

function checkCommand({ words }: Container): string[] {
  return commandFault(words) ?? []
}

/** What the command line itself would say to these words. */
export function commandFault(words: readonly string[]): string[] | undefined {
  const command = COMMANDS.find(({ path }) => path === words[0])
  if (!command) return [`there is no command ${words[0] ?? ''}`]
  try {
    const rest = words.slice(1)
    parseArgs(command, command.takesCommand ? endOptions(command, rest) : rest)
    return undefined
  } catch (error) {
    return [(error as Error).message]
  }
}

/** The variables that our own code reads, by its text. */
const KNOWN_VARIABLES = new Set(
  globSync(['host/**/*.ts', 'cli/**/*.ts'], { cwd: SOURCES })
    .filter((path) => !path.endsWith('.test.ts'))
    .flatMap((path) => readFileSync(join(SOURCES, path), 'utf8').match(/\bPOSTERN_[A-Z_]+/g) ?? []),
)

function checkEnv({ env }: Container, places: readonly Place[]): string[] {
  const values = Object.values(env).filter((value) => typeof value === 'string')
  return Object.entries(env).flatMap(([name, value]) => {
    if (!name.startsWith('POSTERN_')) {
      return values.some((text) => text.includes(`$(${name})`)) ? [] : [`nobody reads ${name}`]
    }
    if (!KNOWN_VARIABLES.has(name)) return [`we do not read ${name}`]
    return typeof value === 'string' && value.includes('://') ? checkAddress(name, value, places) : []
  })
}

/** The host must be somebody in the same file, at the port at which that one listens. */
function checkAddress(name: string, value: string, places: readonly Place[]): string[] {
  const [, host, port] = /:\/\/(?:[^@]*@)?([^:/@]+):(\d+)(?:\/|$)/.exec(value) ?? []
  const isThere = places.some((place) => place.name === host && place.port === Number(port))
  return isThere ? [] : [`${name} leads to ${host}:${port}, where nobody listens`]
}

/** Passwords come from outside, alone or as a part of an address. */
function checkSecrets({ env }: Container): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (typeof value !== 'string') return []
    const [, password] = /:\/\/[^/@:]*:(.*)@/.exec(value) ?? []
    const secret = SECRET_NAME.test(name) ? value : password
    return secret === undefined || FROM_OUTSIDE.test(secret) ? [] : [`${name} holds a secret`]
  })
}
