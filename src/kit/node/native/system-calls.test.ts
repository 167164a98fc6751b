import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { loadSystemCalls } from './system-calls.ts'

const native = new URL('../../../../native/', import.meta.url)

it('the binaries are those that were built from the sources', () => {
  const prebuilt = new URL('prebuilt/', native)
  const lines = readFileSync(new URL('SHA256SUMS', prebuilt), 'utf8').trim().split('\n')
  const sums = new Map(lines.map((line) => line.split('  ').toReversed() as [string, string]))
  const names = readdirSync(prebuilt).filter((name) => name !== 'SHA256SUMS')
  expect([...sums.keys()].sort()).toEqual(['../launcher.c', '../system-calls.c', ...names].sort())
  for (const [name, sum] of sums) {
    expect([
      name,
      createHash('sha256')
        .update(readFileSync(new URL(name, prebuilt)))
        .digest('hex'),
    ]).toEqual([name, sum])
  }
  const naming = names.filter((name) => readFileSync(new URL(name, prebuilt)).includes('/prebuilt/'))
  expect(naming, 'name the machine that built them').toEqual([])
})

it('the addon loads on this platform', () => {
  expect(Object.keys(loadSystemCalls() ?? {}).sort()).toEqual(['exit', 'isReadable', 'lock', 'tryLock', 'unlock'])
})
