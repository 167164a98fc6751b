import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const dist = join(new URL('../..', import.meta.url).pathname, 'dist')
const DRIVERS = ['@nats-io/transport-node', '@nats-io/jetstream', '@redis/client', '@noble/curves', '@noble/hashes']
const HEAVY = ['croner', 'zod', 'commander', 'pg', 'hono', 'yaml', ...DRIVERS]
const SLOW_MODULES = ['node:crypto', 'node:child_process', 'node:http', 'node:net', 'node:stream']

/** Each file of `dist/` with the modules that it holds and the files that it loads with itself. */
type Contents = Readonly<Record<string, { readonly modules: readonly string[]; readonly imports: readonly string[] }>>

/** What a file and those that it loads hold that they must not: heavy packages, or parts of Node that take long to load. */
function findHeavy(contents: Contents, file: string): string[] {
  const loaded = loadedWith(contents, file)
  const packages = loaded.flatMap((name) =>
    (contents[name]?.modules ?? []).flatMap((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []),
  )
  const imports = loaded.flatMap((name) => contents[name]?.imports ?? [])
  return [...packages.filter((name) => HEAVY.includes(name)), ...imports.filter((path) => SLOW_MODULES.includes(path))]
}

/** A file and all that it loads with itself. */
function loadedWith(contents: Contents, file: string, known: readonly string[] = []): string[] {
  if (known.includes(file) || !contents[file]) return []
  const seen = [...known, file]
  return [file, ...contents[file].imports.flatMap((name) => loadedWith(contents, name, seen))]
}

/** Programs that run thousands of times a day, and how many kilobytes each may load. */
const OFTEN: Readonly<Record<string, number>> = { 'drain-look': 37, 'hook-look': 51, often: 190, hook: 235, bus: 279 }

describe.each(Object.entries(OFTEN))('the program %s, which runs thousands of times a day', (name, kilobytes) => {
  const contents: Contents = JSON.parse(readFileSync(join(dist, 'bundles.json'), 'utf8'))
  const files = [...new Set(loadedWith(contents, `${name}.cjs`))]

  it('is there: the tests run on what was built', () => {
    expect(existsSync(join(dist, `${name}.cjs`)), 'run "npm run build" first').toBe(true)
  })

  it('holds no zod, commander, pg, hono or yaml, and loads no slow part of Node', () => {
    expect(findHeavy(contents, `${name}.cjs`)).toEqual([])
    // To name it is to load it.
    for (const file of files) expect(readFileSync(join(dist, file), 'utf8')).not.toMatch(/\bperformance\b/)
  })

  it('stays small', () => {
    const bytes = files.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0)
    expect(bytes).toBeLessThan(kilobytes * 1024)
  })
})

describe('what is built', () => {
  it('holds every module once among the files that share modules', () => {
    const contents: Contents = JSON.parse(readFileSync(join(dist, 'bundles.json'), 'utf8'))
    const alone = ['drain-look.cjs', 'hook-look.cjs', 'log-thread.cjs', 'aside-thread.cjs', 'yaml.cjs']
    const modules = Object.entries(contents).flatMap(([file, { modules }]) => (alone.includes(file) ? [] : modules))
    expect(modules.filter((path, at) => modules.indexOf(path) !== at)).toEqual([])
  })

  it.each(['main', 'server-serve', 'host-open-courier'])('leaves the drivers of wires out of %s', (name) => {
    const contents: Contents = JSON.parse(readFileSync(join(dist, 'bundles.json'), 'utf8'))
    expect(Object.keys(contents)).toContain(`${name}.cjs`)
    expect(findHeavy(contents, `${name}.cjs`).filter((found) => DRIVERS.includes(found))).toEqual([])
  })
})

describe('a heavy bundle', () => {
  it('would be found out if it held one', () => {
    const planted: Contents = {
      'often.cjs': { modules: [], imports: ['part.cjs'] },
      'part.cjs': { modules: ['/x/node_modules/zod/v4/index.js'], imports: ['node:crypto'] },
    }
    expect(findHeavy(planted, 'often.cjs')).toEqual(['zod', 'node:crypto'])
  })
})
