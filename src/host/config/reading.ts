import { dirname, join, resolve } from 'node:path'
import { PosternError } from '../../model/errors.ts'
import type { Config } from './config.ts'
import { HOME_FILE, isRecord } from './config-file.ts'

export type LedgerConfig = Pick<Config, 'ledger' | 'origins' | 'home'>

export type Words = Readonly<Record<string, unknown>>

/** The settings of the ledger as they are written, and what to say of those that are wrong. */
export interface Reading {
  readonly written: Words
  /** `routing.task.blocked`: the name begins with the setting. */
  fault(name: string, reason: string): PosternError
  /** An object, or nothing. */
  record(name: string): Words
  /** A file that names another means one beside itself. */
  pathOf(name: string, path: string): string
}

export function createReading({ ledger, origins, home }: LedgerConfig): Reading {
  const fileOf = (name: string) => origins[`ledger.${name}`] ?? join(home, HOME_FILE)
  const fault = (name: string, reason: string) => {
    const [setting = name] = name.split('.')
    return new PosternError('CONFIG_INVALID', { path: fileOf(setting), reason: `"ledger.${name}" ${reason}` })
  }
  return {
    written: ledger,
    fault,
    record(name) {
      const value = ledger[name] ?? {}
      if (isRecord(value)) return value
      throw fault(name, 'is not an object')
    },
    pathOf: (name, path) => resolve(dirname(fileOf(name)), path),
  }
}

/** What has only those parts; whatever else stands there is a mistake. */
export function partsOf(reading: Reading, name: string, value: unknown, parts: readonly string[]): Words {
  if (!isRecord(value)) throw reading.fault(name, 'is not an object')
  for (const part of Object.keys(value)) {
    if (!parts.includes(part)) throw reading.fault(`${name}.${part}`, 'is not a setting')
  }
  return value
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
