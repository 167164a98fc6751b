import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NEEDS_BOOT_ID, quietIn } from '../../../test/helpers/quiet.ts'
import { openHome, session } from '../../../test/helpers/shelf-things.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { spoolPath } from '../../spool/path.ts'
import { readConfig } from '../config/config.ts'
import { isHookIdle } from './quiet.ts'

async function open() {
  const { home, store } = await openHome()
  const project = temporaryFolder()
  await store.transact((tx) => tx.sessions.put({ ...session('s'), project }))
  const event = { agent: 'quinn', sessionId: 's', shadows: join(home, 'shadow') }
  const configure = (config: object) => writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  const isIdle = (env: Record<string, string> = {}) =>
    isHookIdle(readConfig({ flags: { home }, env, cwd: project }), event)
  return { home, project, configure, isIdle }
}

describe('an event that finds nothing', NEEDS_BOOT_ID, () => {
  it('leaves the agent quiet, and notes that it was heard of', async () => {
    const { home, isIdle } = await open()
    expect(isIdle()).toBe(true)
    expect(quietIn(home)).toEqual(['quinn'])
    expect(statSync(join(home, 'live', 'quinn')).isFile()).toBe(true)
  })

  it.each([
    ['a gate', { gates: { decision: { required: true } } }],
    ['a command', { hooks: [{ event: 'tool.before', command: 'true' }] }],
  ])('goes the whole way where the configuration has %s', async (_, config) => {
    const { home, configure, isIdle } = await open()
    configure(config)
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
  })

  it('goes the whole way while any session has its gates written down', async () => {
    const { home, isIdle } = await open()
    mkdirSync(join(home, 'shadow'))
    writeFileSync(join(home, 'shadow', 'robin.x.json'), '{}')
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
    rmSync(join(home, 'shadow'), { recursive: true })
    writeFileSync(join(home, 'shadow'), 'no folder')
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
  })

  it('goes the whole way where the store is another, and leaves this one’s files alone', async () => {
    const { home, configure, isIdle } = await open()
    expect(isIdle({ POSTERN_STORE: join(temporaryFolder(), 'postern.db') })).toBe(false)
    expect(isIdle({ POSTERN_STORE: 'postgres://localhost/none' })).toBe(false)
    configure({ store: 'postgres://localhost/none' })
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
  })

  it('goes the whole way while its spool holds something', async () => {
    const { home, project, isIdle } = await open()
    const spool = spoolPath(project, 's')
    mkdirSync(dirname(spool), { recursive: true })
    writeFileSync(spool, '{"content":"x"}\n')
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
  })
})
