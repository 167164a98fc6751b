import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configWith } from '../../../test/helpers/config-with.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { DEFAULT_LIMITS } from '../../model/limits.ts'
import { defaultConfig, readConfig } from './config.ts'
import { GATES } from './gates.ts'
import { HOOKS } from './hooks.ts'
import { GROUPS, LIMITS, VARIABLE_DEFAULTS } from './schema.ts'
import { VARIABLES } from './variables.ts'

const PAGE = readFileSync(new URL('../../../docs/reference/config.md', import.meta.url), 'utf8')

/** The cells of the first table below a heading, without its head. */
function tableUnder(heading: string): string[][] {
  const [, section = ''] = PAGE.split(`\n## ${heading}\n`)
  const lines = section.split('\n## ')[0]?.split('\n') ?? []
  const table = lines.filter((line) => line.startsWith('|')).slice(2)
  return table.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function title(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`
}

describe('the reference of the configuration', () => {
  it.each(GROUPS)('lists the settings of $name as they are declared', ({ name, settings }) => {
    const declared = Object.entries(settings).map(([key, row]) => [`\`${key}\``, row.default, row.help])
    expect(tableUnder(title(name))).toEqual(declared)
  })

  it('lists every limit with its unit and default', () => {
    const declared = Object.entries(LIMITS).map(([name, { unit, help }]) => [`\`${name}\``, unit, help])
    const listed = tableUnder('Limits')
    expect(listed.map(([name, unit, , help]) => [name, unit, help])).toEqual(declared)
    const defaults = listed.map(([, , value = '']) => Number(value.replace(/ \(.*/, '').replaceAll(',', '')))
    expect(defaults).toEqual(Object.values(DEFAULT_LIMITS))
  })

  it('names every variable, and the default if nothing is set', () => {
    const listed = tableUnder('Where a value comes from')
    for (const [name, variable] of Object.entries(VARIABLES)) {
      const row = listed.find(([, , environment]) => environment === `\`${variable}\``)
      expect(row?.at(-1), variable).toContain(VARIABLE_DEFAULTS[name as keyof typeof VARIABLE_DEFAULTS])
    }
    const variables = GROUPS.flatMap(({ settings }) =>
      Object.values(settings).flatMap(({ variable }) => variable ?? []),
    )
    for (const variable of variables)
      expect(listed.map(([, , environment]) => environment)).toContain(`\`${variable}\``)
  })
})

describe('a configuration', () => {
  it('has a default for every setting', () => {
    for (const group of GROUPS) expect(() => defaultConfig().get(group), group.name).not.toThrow()
    expect([defaultConfig().get(GATES), defaultConfig().get(HOOKS)]).toEqual([[], []])
  })

  it.each(GROUPS)('refuses a setting of $name that is not declared, and names its file', ({
    name,
    parse,
    settings,
  }) => {
    const get = () => configWith({ [name]: { hostt: 1 } }).get({ name, parse })
    expect(Object.keys(settings)).not.toContain('hostt')
    expect(get).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        details: { path: '/home/anna/.postern/config.json', reason: `"${name}.hostt" is not a setting` },
      }),
    )
  })

  it.each(GROUPS)('never fails with anything but a PosternError for a wrong value of $name', (group) => {
    for (const key of Object.keys(group.settings)) {
      for (const value of [null, [[]], { '\0': 1 }, -1, '\0']) {
        try {
          configWith({ [group.name]: { [key]: value } }).get(group)
        } catch (error) {
          expect(error).toMatchObject({ name: 'PosternError' })
        }
      }
    }
  })

  it('parses a group once, on first use', () => {
    let parsed = 0
    const group = { name: 'bus' as const, parse: () => ++parsed }
    const config = configWith({ bus: {} })
    expect([parsed, config.get(group), config.get(group)]).toEqual([0, 1, 1])
  })

  it('names the files in the error for wrong gates and hooks', () => {
    const config = configWith({ gates: { decision: 'hard' }, hooks: [{}] })
    for (const get of [() => config.get(GATES), () => config.get(HOOKS)]) {
      expect(get).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          details: expect.objectContaining({ path: '/home/anna/.postern/config.json' }),
        }),
      )
    }
  })

  it.each(['hop', 'constructor', '__proto__'])('refuses a limit of the name %s', (name) => {
    const home = temporaryFolder()
    writeFileSync(join(home, 'config.json'), `{ "limits": { "${name}": 5 } }`)
    expect(() => readConfig({ flags: { home }, env: {}, cwd: home })).toThrow(`"limits.${name}" is not a limit`)
  })
})
