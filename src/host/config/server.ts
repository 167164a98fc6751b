import { defineGroup, isText } from './group.ts'

/** Where `postern serve` listens, and which other host names it answers to. */
export interface ServerSettings {
  readonly host: string
  readonly port: number
  /** Names that `Host` and `Origin` may have besides those of this machine, such as a proxy's. */
  readonly names: readonly string[]
  /** Whether every request has a line in the log. */
  readonly accessLog: boolean
}

const LAST_PORT = 65_535

export const SERVER = defineGroup<ServerSettings>('server', {
  host: {
    default: '`127.0.0.1`',
    help: 'the address; the server warns of any but loopback',
    parse(value = '127.0.0.1', place) {
      if (!isText(value)) throw place.fault('is not an address')
      return value
    },
  },
  port: {
    default: '4747',
    help: '0 takes any that is free',
    parse(value = 4747, place) {
      if (!isPort(value)) throw place.fault(`is not a port from 0 to ${LAST_PORT}`)
      return value
    },
  },
  names: {
    default: 'none',
    help: "further names in `Host` and `Origin`, such as a proxy's; their port does not matter",
    parse(value = [], place) {
      if (!Array.isArray(value) || !value.every(isText)) throw place.fault('is not a list of names')
      return value
    },
  },
  accessLog: {
    default: 'false',
    help: 'true: one line on standard error for every request, as `--access-log`',
    parse(value = false, place) {
      if (typeof value !== 'boolean') throw place.fault('is neither true nor false')
      return value
    },
  },
})

export function isPort(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LAST_PORT
}
