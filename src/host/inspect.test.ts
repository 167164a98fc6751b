import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { readConfig } from './config/config.ts'
import { GATES } from './config/gates.ts'
import { setTrust } from './config/trust.ts'
import { keyPath, makeKey } from './credentials/secret-key.ts'
import { inspectHome } from './inspect.ts'

it('says where a project file that was trusted has been changed, so that its gates hold no more', () => {
  const [home, project] = [join(temporaryFolder(), 'home'), temporaryFolder()]
  mkdirSync(join(project, '.git'))
  const path = join(project, 'postern.config.json')
  const config = () => readConfig({ flags: { home }, env: {}, cwd: project })
  const findings = () => inspectHome(config(), project).filter(({ name }) => name === 'config.trust')
  writeFileSync(path, '{"gates":{"decision":"strict"}}')
  expect(findings()).toEqual([])
  setTrust(home, path, true)
  expect(findings()).toEqual([])
  expect(config().get(GATES)).toMatchObject([{ name: 'decision', mode: 'strict' }])

  writeFileSync(path, '{"gates":{"decision":"strict"}} ')
  expect(config().get(GATES)).toEqual([])
  expect(findings()).toMatchObject([{ ok: false, level: 'warning' }])
})

it('reports an unusable home key, and nothing about a valid or missing one', () => {
  const home = temporaryFolder()
  const config = readConfig({ flags: { home }, env: {}, cwd: home })
  const findings = () => inspectHome(config, home).filter(({ name }) => name === 'home.key')
  expect(findings()).toEqual([])
  makeKey(keyPath(home))
  expect(findings()).toEqual([])
  writeFileSync(keyPath(home), 'no key')
  expect(findings()).toMatchObject([{ ok: false, level: 'warning', detail: expect.stringContaining(keyPath(home)) }])
})
