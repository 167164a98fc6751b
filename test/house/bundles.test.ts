import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const dist = join(new URL('../..', import.meta.url).pathname, 'dist')
const HOT_BYTES = 100 * 1024
const HEAVY = ['zod', 'commander', 'pg', 'hono', 'yaml']
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

describe('the bundle that runs thousands of times a day', () => {
  it('is there: the tests run on what was built', () => {
    expect(existsSync(join(dist, 'hot.cjs')), 'run "npm run build" first').toBe(true)
  })

  it('holds no zod, commander, pg, hono or yaml, and loads no slow part of Node', () => {
    const metafile: Metafile = JSON.parse(readFileSync(join(dist, 'bundles.json'), 'utf8'))
    expect(Object.keys(metafile.outputs)).toContain('dist/hot.cjs')
    expect(findHeavy(metafile, 'dist/hot.cjs')).toEqual([])
  })

  it('stays small', () => {
    expect(statSync(join(dist, 'hot.cjs')).size).toBeLessThan(HOT_BYTES)
  })

  it('would be found out if it held one', () => {
    const planted: Metafile = {
      outputs: {
        'dist/hot.cjs': { inputs: { 'node_modules/zod/v4/index.js': {} }, imports: [{ path: 'node:crypto' }] },
      },
    }
    expect(findHeavy(planted, 'dist/hot.cjs')).toEqual(['zod', 'node:crypto'])
  })
})
