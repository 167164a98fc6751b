import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomToken } from '../../kit/node/crypto.ts'
import { makePrivateFolder } from '../../kit/node/folders.ts'
import { NATS_FOLDER, NATS_URL_FILE } from '../../model/wires/nats-home.ts'

/** The files of a home's NATS server. Only their owner can read them. */
export interface NatsFiles {
  readonly config: string
  readonly lock: string
  readonly log: string
  /** The port of the last run, so that clients that were connected find the server again. */
  lastPort(): number | undefined
  /** Writes the configuration for a port and returns the URL that clients will use. */
  prepare(port: number): string
  /** Writes the file by which agents and couriers of this home find the server. */
  announce(url: string): void
  /** Removes that file. */
  withdraw(): void
}

const PASSWORD_LENGTH = 32
const USER = 'postern'
const PRIVATE = 0o600
const LOG_BYTES = 1024 * 1024

export function natsFiles(home: string): NatsFiles {
  const folder = join(home, NATS_FOLDER)
  makePrivateFolder(folder)
  const place = (name: string) => join(folder, name)
  const write = (name: string, text: string) => {
    writeFileSync(place(`${name}.new`), text, { mode: PRIVATE })
    chmodSync(place(`${name}.new`), PRIVATE)
    renameSync(place(`${name}.new`), place(name))
  }

  /** Created at the first start and kept, so that the URL stays valid. */
  function password(): string {
    const kept = readIfThere(place('token'))?.trim()
    if (kept && kept.length >= PASSWORD_LENGTH) return kept
    const made = randomToken(PASSWORD_LENGTH)
    write('token', `${made}\n`)
    return made
  }

  return {
    config: place('server.conf'),
    lock: place('lock'),
    log: place('server.log'),
    lastPort() {
      const port = Number(readIfThere(place('port')))
      return Number.isSafeInteger(port) && port > 0 && port < 65_536 ? port : undefined
    },
    prepare(port) {
      const secret = password()
      write('server.conf', configuration({ port, secret, place }))
      write('port', `${port}\n`)
      return `nats://${USER}:${encodeURIComponent(secret)}@127.0.0.1:${port}`
    },
    announce: (url) => write(NATS_URL_FILE, `${url}\n`),
    withdraw: () => rmSync(place(NATS_URL_FILE), { force: true }),
  }
}

interface Settings {
  readonly port: number
  readonly secret: string
  readonly place: (name: string) => string
}

/** The text of the configuration. A JSON string is a valid string in this format. */
function configuration({ port, secret, place }: Settings): string {
  return [
    'host: "127.0.0.1"',
    `port: ${port}`,
    `jetstream: { store_dir: ${JSON.stringify(place('store'))} }`,
    `authorization: { user: ${JSON.stringify(USER)}, password: ${JSON.stringify(secret)} }`,
    `pid_file: ${JSON.stringify(place('pid'))}`,
    `log_file: ${JSON.stringify(place('server.log'))}`,
    `logfile_size_limit: ${LOG_BYTES}`,
    '',
  ].join('\n')
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
