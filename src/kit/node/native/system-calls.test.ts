import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadSystemCalls } from './system-calls.ts'

const native = new URL('../../../../native/', import.meta.url)

it('the addon was built from its source', () => {
  const source = createHash('sha256')
    .update(readFileSync(new URL('system-calls.c', native)))
    .digest('hex')
  expect(readFileSync(new URL('prebuilt/system-calls.c.sha256', native), 'utf8').trim()).toBe(source)
  const binaries = readdirSync(new URL('prebuilt', native)).filter((name) => name.endsWith('.node'))
  const naming = binaries.filter((name) => readFileSync(new URL(`prebuilt/${name}`, native)).includes('/prebuilt/'))
  expect(naming, 'name the machine that built them').toEqual([])
})

it('the addon loads on this platform', () => {
  expect(Object.keys(loadSystemCalls() ?? {}).sort()).toEqual(['exit', 'isReadable', 'lock', 'tryLock', 'unlock'])
})
