import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openScene, type Scene } from './scene.ts'
import { makeSpace, makeThings, type Things } from './things.ts'

describe.each(['stdio', 'http'] as const)('a tool that says that it only looks, over %s', (carrier) => {
  let scene: Scene
  let things: Things
  let client: Client

  beforeAll(async () => {
    scene = await openScene()
    await makeSpace(scene)
    things = await makeThings(scene)
    client = await scene.connect({ carrier, era: 'modern' })
    // Whoever searches brings the index up to date with what there is.
    await client.callTool({ name: 'message_search', arguments: { query: 'green' } })
  })

  afterAll(() => scene?.close())

  const call = (name: string) => client.callTool({ name, arguments: things.inputs[name] ?? {} })
  const named = async (isReadOnly: boolean) =>
    (await client.listTools()).tools
      .filter(({ annotations }) => annotations?.readOnlyHint === isReadOnly)
      .map(({ name }) => name)

  test('changes nothing in the store, in the event log or in any file', async () => {
    const looking = await named(true)
    expect(looking.length).toBeGreaterThan(0)
    const before = dump(scene)
    for (const name of looking) {
      expect(await call(name), name).not.toHaveProperty('isError')
      expect(changed(before, dump(scene)), `${name} says that it only looks`).toEqual([])
    }
  })

  test('is no other than those that do: every other tool changes something', async () => {
    for (const name of await named(false)) {
      const before = dump(scene)
      expect(await call(name), name).not.toHaveProperty('isError')
      expect(changed(before, dump(scene)), `${name} could say that it only looks`).not.toEqual([])
    }
  })
})

/** When the server last did its upkeep, which it does whether somebody calls or not. */
const UPKEEP = 'jobs'

type Dump = ReadonlyMap<string, string>

/** All that the store holds, table by table, and all files of the project and of its buses. */
function dump({ home, project }: Scene): Dump {
  const store = new DatabaseSync(join(home, 'postern.db'), { readOnly: true })
  try {
    const tables = store
      .prepare("select name from sqlite_master where type = 'table' order by name")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => name !== UPKEEP)
    const rows = tables.map((name): [string, string] => [
      name,
      JSON.stringify(store.prepare(`select * from "${name}"`).all()),
    ])
    return new Map([...rows, ...filesOf(project), ...filesOf(join(home, 'run-agent'))])
  } finally {
    store.close()
  }
}

function filesOf(folder: string): [string, string][] {
  const files = globSync('**/*', { cwd: folder }).map((path) => join(folder, path))
  return files.filter((path) => statSync(path).isFile()).map((path) => [path, readFileSync(path, 'utf8')])
}

/** The tables and files that differ. */
function changed(before: Dump, after: Dump): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name))
}
