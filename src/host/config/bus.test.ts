import { mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { BUS } from './bus.ts'
import { readConfig } from './config.ts'
import { setTrust } from './trust.ts'

interface Written {
  readonly env?: Readonly<Record<string, string>>
  /** The content of the user's file, and of the project's. */
  readonly own?: unknown
  readonly ofProject?: unknown
}

function configured({ env = {}, own = {}, ofProject = {} }: Written) {
  const [home, cwd] = [join(temporaryFolder(), 'home'), join(temporaryFolder(), 'project')]
  for (const folder of [home, cwd]) mkdirSync(folder)
  writeFileSync(join(home, 'config.json'), JSON.stringify(own))
  const file = join(cwd, 'postern.config.json')
  writeFileSync(file, JSON.stringify(ofProject))
  return { home, cwd, file, read: () => readConfig({ flags: { home }, env, cwd }) }
}

describe('the settings of the bus', () => {
  it('default to ~/run-agent and 1 GiB', () => {
    const config = configured({}).read()
    expect(config.get(BUS)).toEqual({ root: join(homedir(), 'run-agent'), rotateBytes: 1024 ** 3 })
    expect(config.written.find('bus', 'root', BUS.settings.root)).toBeUndefined()
  })

  it('come from the environment before files, and a path in a file is relative to that file', () => {
    const own = { bus: { root: 'buses', rotateBytes: 0 } }
    const { home, cwd, read } = configured({ own })
    expect(read().get(BUS)).toEqual({ root: join(home, 'buses'), rotateBytes: 0 })
    expect(read().written.find('bus', 'root', BUS.settings.root)?.origin).toBe(join(home, 'config.json'))
    const env = { POSTERN_BUS_ROOT: 'here' }
    const named = readConfig({ flags: { home }, env, cwd })
    expect(named.get(BUS)).toEqual({ root: join(cwd, 'here'), rotateBytes: 0 })
    expect(named.written.find('bus', 'root', BUS.settings.root)?.origin).toBe('POSTERN_BUS_ROOT')
    expect(readConfig({ flags: { home }, env: { POSTERN_BUS_ROOT: '' }, cwd }).get(BUS).root).toBe(join(home, 'buses'))
  })

  it('do not come from a project that is not trusted', () => {
    const { home, cwd, file, read } = configured({ ofProject: { bus: { root: '/elsewhere' } } })
    expect(read().get(BUS).root).toBe(join(homedir(), 'run-agent'))
    setTrust(home, file, true)
    expect(read().get(BUS).root).toBe('/elsewhere')
    expect(readConfig({ flags: { home }, env: { POSTERN_BUS_ROOT: '/mine' }, cwd }).get(BUS).root).toBe('/mine')
  })

  it.each([
    { root: 1 },
    { root: '' },
    { rotateBytes: -1 },
    { rotateBytes: 1.5 },
    { rotateBytes: '1GB' },
    { rot: '/x' },
  ])('are refused as %j', (bus) => {
    expect(() => configured({ own: { bus } }).read().get(BUS)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  })

  it.each([null, [], 'x', 1])('must be an object, so %j is refused', (bus) => {
    expect(configured({ own: { bus } }).read).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })
})
