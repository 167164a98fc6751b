import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SOURCE_ERRORS } from '../../src/model/errors/source-errors.ts'

const dist = join(new URL('../..', import.meta.url).pathname, 'dist')
const DRIVERS = ['@nats-io/transport-node', '@nats-io/jetstream', '@redis/client', '@noble/curves', '@noble/hashes']
const HEAVY = ['croner', 'zod', 'commander', 'pg', 'hono', 'yaml', ...DRIVERS]
const SLOW_MODULES = ['node:crypto', 'node:child_process', 'node:http', 'node:net', 'node:stream']

interface Metafile {
  readonly outputs: Readonly<
    Record<
      string,
      { readonly inputs: Readonly<Record<string, unknown>>; readonly imports: readonly { readonly path: string }[] }
    >
  >
}

/** What a bundle holds that it must not: heavy packages, or parts of Node that take long to load. */
function findHeavy(metafile: Metafile, output: string): string[] {
  const { inputs, imports } = metafile.outputs[output] ?? { inputs: {}, imports: [] }
  const packages = Object.keys(inputs).flatMap((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? [])
  return [
    ...packages.filter((name) => HEAVY.includes(name)),
    ...imports.map(({ path }) => path).filter((path) => SLOW_MODULES.includes(path)),
  ]
}

/** Bundles that run thousands of times a day, and how large they may become. */
const OFTEN = { peek: 16, 'hook-peek': 32, hot: 112, hook: 133, bus: 190 } as const
/** Those of them that never refuse what wakes agents from outside. */
const TERSE = ['peek', 'hook-peek', 'hot', 'hook']

describe.each(Object.entries(OFTEN))('the bundle %s, which runs thousands of times a day', (name, kilobytes) => {
  const path = join(dist, `${name}.cjs`)

  it('is there: the tests run on what was built', () => {
    expect(existsSync(path), 'run "npm run build" first').toBe(true)
  })

  it('holds no zod, commander, pg, hono or yaml, and loads no slow part of Node', () => {
    const metafile: Metafile = JSON.parse(readFileSync(join(dist, 'bundles.json'), 'utf8'))
    expect(Object.keys(metafile.outputs)).toContain(`dist/${name}.cjs`)
    expect(findHeavy(metafile, `dist/${name}.cjs`)).toEqual([])
    // To name it is to load it.
    expect(readFileSync(path, 'utf8')).not.toMatch(/\bperformance\b/)
  })

  it('stays small', () => {
    expect(statSync(path).size).toBeLessThan(kilobytes * 1024)
  })
})

describe.each(TERSE)('the bundle %s, which never refuses an outside source', (name) => {
  it('refuses nothing for which it has no words', () => {
    const text = readFileSync(join(dist, `${name}.cjs`), 'utf8')
    expect(Object.keys(SOURCE_ERRORS).filter((code) => text.includes(code))).toEqual([])
  })
})

describe.each(['main', 'serve', 'open-courier'])('the bundle %s', (name) => {
  it('leaves the drivers of wires to parts that are loaded on use', () => {
    const metafile: Metafile = JSON.parse(readFileSync(join(dist, 'bundles.json'), 'utf8'))
    expect(Object.keys(metafile.outputs)).toContain(`dist/${name}.cjs`)
    expect(findHeavy(metafile, `dist/${name}.cjs`).filter((found) => DRIVERS.includes(found))).toEqual([])
  })
})

describe('a heavy bundle', () => {
  it('would be found out if it held one', () => {
    const planted: Metafile = {
      outputs: {
        'dist/hot.cjs': { inputs: { 'node_modules/zod/v4/index.js': {} }, imports: [{ path: 'node:crypto' }] },
      },
    }
    expect(findHeavy(planted, 'dist/hot.cjs')).toEqual(['zod', 'node:crypto'])
  })
})
