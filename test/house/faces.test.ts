import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands/commands.ts'
import { errorTable } from '../../src/model/errors.ts'
import { EVENT_TYPES } from '../../src/model/network/event.ts'
import { OPERATION_NAMES, OPERATIONS } from '../../src/model/operations.ts'
import { VERSION } from '../../src/model/version.ts'
import { DECLARED_OPERATIONS } from '../../src/operations/table.ts'
import { openLocal } from '../helpers/open-local.ts'
import { temporaryFolder } from '../helpers/temp.ts'

/** Commands about the installation itself, or about programs on this machine, which no other door has. */
const LOCAL_COMMANDS = [
  'migrate',
  'backup',
  'restore',
  'config',
  'config trust',
  // It removes files of this machine's hooks.
  'gate forget',
  'tour',
  'completion',
  'version',
  'init',
  'hook',
  'wake',
  'courier',
  'run',
  'bus discover',
  'serve',
  'mcp',
  'ui',
  'demo',
  'status',
  'watch',
  'decision check',
  'inbox mine',
  'ledger listen',
  'ledger serve',
  'ledger export',
]

const root = new URL('../..', import.meta.url).pathname

describe('one operation, declared once', () => {
  it('every command is the face of an operation, or concerns only this installation', () => {
    const faces = new Set(OPERATION_NAMES.map((name) => OPERATIONS[name].cli))
    const strays = COMMANDS.map(({ path }) => path).filter((path) => !faces.has(path) && !LOCAL_COMMANDS.includes(path))
    expect(strays).toEqual([])
  })

  it('every command that an operation names exists', () => {
    const paths = COMMANDS.map(({ path }) => path)
    const missing = OPERATION_NAMES.flatMap((name) => OPERATIONS[name].cli ?? []).filter((cli) => !paths.includes(cli))
    expect(missing).toEqual([])
  })

  it('a command is left to people if its operation is, and changes something', () => {
    const leftToPeople = OPERATION_NAMES.flatMap((name) => {
      const { access, kind, cli } = OPERATIONS[name]
      return (access.to === 'people' || access.to === 'admin') && kind !== 'reads' ? (cli ?? []) : []
    })
    // They have no operation: one lets a person in, one switches gates off, one brings back what was.
    const expected = [...leftToPeople, 'ui', 'config trust', 'restore']
    const marked = COMMANDS.filter(({ isForPeople }) => isForPeople).map(({ path }) => path)
    expect(marked.toSorted()).toEqual(expected.toSorted())
  })

  it('every method of Postern is an operation, and every operation a method', async () => {
    const postern = await openLocal(join(await temporaryFolder(), 'postern.db'), { upkeep: false })
    const rooms = Object.entries(postern).filter(
      ([name, room]) => typeof room === 'object' && name !== 'caller' && name !== 'hooks',
    )
    const methods = rooms.flatMap(([room, verbs]) => Object.keys(verbs).map((verb) => `${room}.${verb}`))
    await postern.close()
    expect([...OPERATION_NAMES].sort()).toEqual(methods.sort())
  })

  it('every operation names only errors that exist, each once', () => {
    for (const { errors } of DECLARED_OPERATIONS) {
      expect(errors.filter((code) => !(code in errorTable()))).toEqual([])
      expect(new Set(errors).size).toBe(errors.length)
    }
  })
})

describe('what is written down twice agrees', () => {
  it('every error has its section in docs/reference/errors.md, and every section its error', () => {
    const page = readFileSync(join(root, 'docs/reference/errors.md'), 'utf8')
    const sections = [...page.matchAll(/^## ([A-Z_]+)$/gm)].map(([, code]) => code)
    expect(sections.sort()).toEqual(Object.keys(errorTable()).sort())
  })

  it('every type of event has its row in docs/reference/events.md, and every row its type', () => {
    const page = readFileSync(join(root, 'docs/reference/events.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` \|/gm)].map(([, type]) => type)
    expect(rows).toEqual(EVENT_TYPES)
  })

  it('every command has its section in docs/reference/cli.md', () => {
    const page = readFileSync(join(root, 'docs/reference/cli.md'), 'utf8')
    const missing = COMMANDS.map(({ path }) => path).filter((path) => !page.includes(`postern ${path}`))
    expect(missing).toEqual([])
  })

  it('every route has its line in docs/reference/http.md, with the operation and who may use it', () => {
    const page = readFileSync(join(root, 'docs/reference/http.md'), 'utf8')
    const lines = OPERATION_NAMES.flatMap((name) => {
      const { access, http } = OPERATIONS[name]
      const { to, needsAdmin, needsPerson } = access
      const exceptions = `${needsAdmin ? '; with a command: admin' : ''}${needsPerson ? '; with `create`: people' : ''}`
      return http.map((route) => `| \`${route}\` | ${name} | ${to}${exceptions} |`)
    })
    const listed = [...page.matchAll(/^\| `[A-Z]+ \/api\/.* \| \w+\.\w+ \| .*$/gm)].map(([line]) => line)
    expect(listed.sort()).toEqual(lines.sort())
  })

  it('the program and its package say the same version', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(VERSION).toBe(version)
  })

  it('the public names are those of api-surface.txt', () => {
    const source = readFileSync(join(root, 'src/index.ts'), 'utf8')
    const names = [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)]
      .flatMap(([, list = '']) => list.split(','))
      .map((name) => name.replace(/\btype\b/, '').trim())
      .filter(Boolean)
    const listed = readFileSync(join(root, 'test/house/api-surface.txt'), 'utf8').trim().split('\n')
    expect(names.sort()).toEqual(listed)
    expect(source).not.toMatch(/export (?:type )?\*/)
  })
})
