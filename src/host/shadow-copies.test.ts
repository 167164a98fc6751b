import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { restoreShadows, shadowCopiesOf } from './shadow-copies.ts'

let runtime: string

beforeEach(() => {
  runtime = temporaryFolder()
  vi.stubEnv('XDG_RUNTIME_DIR', runtime)
  return () => vi.unstubAllEnvs()
})

it('gives back a copy to the home that it belongs to, until it is removed', () => {
  const [home, other] = [temporaryFolder(), temporaryFolder()]
  expect(shadowCopiesOf(home).write('quinn.s.json', 'x')).toBe(true)
  expect(shadowCopiesOf(home).read('quinn.s.json')).toBe('x')
  expect(shadowCopiesOf(other).read('quinn.s.json')).toBeUndefined()
  expect(statSync(join(runtime, 'postern')).mode & 0o777).toBe(0o700)
  shadowCopiesOf(home).write('quinn.s.json', undefined)
  expect(shadowCopiesOf(home).read('quinn.s.json')).toBeUndefined()
})

it('believes no folder that others may write, or that a link leads to', () => {
  const home = temporaryFolder()
  shadowCopiesOf(home).write('quinn.s.json', 'x')
  chmodSync(join(runtime, 'postern'), 0o770)
  expect(shadowCopiesOf(home).read('quinn.s.json')).toBeUndefined()
  chmodSync(join(runtime, 'postern'), 0o700)
  const elsewhere = temporaryFolder()
  symlinkSync(join(runtime, 'postern'), join(elsewhere, 'postern'))
  vi.stubEnv('XDG_RUNTIME_DIR', elsewhere)
  expect(shadowCopiesOf(home).read('quinn.s.json')).toBeUndefined()
})

it('restores what a home has lost, and replaces nothing that it has', () => {
  const home = temporaryFolder()
  shadowCopiesOf(home).write('quinn.s.json', 'copy')
  shadowCopiesOf(home).write('robin.s.json', 'copy')
  mkdirSync(join(home, 'shadow'))
  writeFileSync(join(home, 'shadow', 'robin.s.json'), 'own')
  restoreShadows(home)
  const shadowOf = (agent: string) => readFileSync(join(home, 'shadow', `${agent}.s.json`), 'utf8')
  expect([shadowOf('quinn'), shadowOf('robin')]).toEqual(['copy', 'own'])
  expect(statSync(join(home, 'shadow', 'quinn.s.json')).mode & 0o777).toBe(0o600)
})

it('makes no runtime folder of the system, and no home', () => {
  const missing = join(runtime, 'missing')
  vi.stubEnv('XDG_RUNTIME_DIR', missing)
  const home = join(temporaryFolder(), 'home')
  const copies = shadowCopiesOf(home)
  copies.write('quinn.s.json', 'x')
  copies.write('quinn.s.json', undefined)
  restoreShadows(home)
  expect([existsSync(missing), existsSync(home), readdirSync(runtime)]).toEqual([false, false, []])
})
