import type { Config } from '../../../host/config/config.ts'
import { findProjectFile, isRecord } from '../../../host/config/config-file.ts'
import { type AnyGroup, GROUPS } from '../../../host/config/schema.ts'
import { setTrust } from '../../../host/config/trust.ts'
import { hidePassword } from '../../../kit/pure/passwords.ts'
import { PosternError } from '../../../model/errors.ts'
import { showField } from '../../../render/terminal.ts'
import type { Command } from '../../shell/command.ts'
import { requireNoProgram } from '../../shell/no-program.ts'
import { answer } from '../../shell/print.ts'
import { formatTable } from '../../shell/table.ts'

export const configShow: Command = {
  path: 'config',
  summary: 'Show the configuration in force.',
  options: [{ name: 'explain', summary: 'say where each value came from' }],

  async run(io, args) {
    const { config } = io
    const places = {
      home: config.home,
      store: hidePassword(config.store),
      url: config.url === null ? null : hidePassword(config.url),
    }
    const groups = Object.fromEntries(GROUPS.map((group) => [group.name, valuesOf(config, group)]))
    const values = flatten({ ...places, ...groups, limits: config.limits })
    const origins = originsOf(config)
    const isExplained = args.has('explain')
    const rows = values.map(([name, value]) => [name, showValue(value), ...(isExplained ? [origins[name] ?? ''] : [])])
    const header = ['SETTING', 'VALUE', ...(isExplained ? ['FROM'] : [])]
    const json = { ...places, ...groups, limits: config.limits, ...(isExplained && { origins }) }
    answer(io, json, formatTable(header, rows, io.stdout.columns))
    return undefined
  },
}

type Values = Readonly<Record<string, unknown>>

/** The values of a group. A URL is shown without its password. */
function valuesOf(config: Config, group: AnyGroup): Values {
  const values = Object.entries(group.values(config.written)).map(([key, value]) => {
    return [key, key === 'url' && typeof value === 'string' ? hidePassword(value) : (value ?? null)]
  })
  return Object.fromEntries(values)
}

/** Every setting by its dotted name. */
function flatten(values: Values): [string, unknown][] {
  return Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
    if (!isRecord(value)) return [[name, value]]
    return Object.entries(value).map(([key, each]) => [`${name}.${key}`, each])
  })
}

function showValue(value: unknown): string {
  return typeof value === 'object' && value !== null && !isTexts(value) ? JSON.stringify(value) : String(value ?? '')
}

function isTexts(value: object): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function originsOf({ written, origins, limits }: Config): Readonly<Record<string, string>> {
  const settings = GROUPS.flatMap(({ name, settings: rows }) =>
    Object.entries(rows).map(([key, setting]) => [`${name}.${key}`, written.find(name, key, setting)] as const),
  )
  const gates = written.keys('gates').map((key) => [`gates.${key}`, written.find('gates', key)] as const)
  const bounds = Object.keys(limits).map((key) => [`limits.${key}`, written.find('limits', key)] as const)
  const found = [...settings, ...gates, ...bounds].map(([name, value]) => [name, value?.origin ?? 'default'])
  return { ...origins, ...Object.fromEntries(found) }
}

export const configTrust: Command = {
  path: 'config trust',
  isForPeople: true,
  isLocal: true,
  summary: "Let this project's postern.config.json name a store or a server and change every limit.",
  options: [{ name: 'revoke', summary: 'take that back' }],

  async run(io, args) {
    const path = findProjectFile(process.cwd())
    if (!path) {
      throw new PosternError('VALUE_INVALID', {
        field: 'project',
        value: process.cwd(),
        next: 'There is no postern.config.json here or above; go to the project that has one.',
      })
    }
    // A trusted configuration may switch gates off, so an agent that they hold may not trust it.
    await requireNoProgram(async () => (await io.open()).caller, 'cannot say what is to be trusted')
    const trusted = !args.has('revoke')
    setTrust(io.config.home, path, trusted)
    answer(
      io,
      { path, trusted },
      showField(trusted ? `Trusted as it is now: ${path}` : `No longer trusted: ${path}`, 2_000),
    )
    return undefined
  },
}
