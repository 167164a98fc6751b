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
  const event = { agent: 'quinn', sessionId: 's' }
  const configure = (config: object) => writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  const isIdle = (env: Record<string, string> = {}) =>
    isHookIdle(readConfig({ flags: { home }, env, cwd: project }), event)
  return { home, project, configure, isIdle }
}

describe('isHookIdle', NEEDS_BOOT_ID, () => {
  it('marks the agent as quiet and touches its last-heard file if nothing waits', async () => {
    const { home, isIdle } = await open()
    expect(isIdle()).toBe(true)
    expect(quietIn(home)).toEqual(['quinn'])
    expect(statSync(join(home, 'live', 'quinn')).isFile()).toBe(true)
  })

  it.each([
    ['a gate', { gates: { decision: { required: true } } }],
    ['a command', { hooks: [{ event: 'tool.before', command: 'true' }] }],
  ])('is false if the configuration has %s', async (_, config) => {
    const { home, configure, isIdle } = await open()
    configure(config)
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
  })

  it('is false while a session of the agent has a shadow file, or the folder cannot be read', async () => {
    const { home, isIdle } = await open()
    mkdirSync(join(home, 'shadow'))
    writeFileSync(join(home, 'shadow', 'quinn.x.json'), '{}')
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
    rmSync(join(home, 'shadow'), { recursive: true })
    writeFileSync(join(home, 'shadow'), 'no folder')
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
  })

  it('is true while only another agent has a shadow file', async () => {
    const { home, isIdle } = await open()
    mkdirSync(join(home, 'shadow'))
    writeFileSync(join(home, 'shadow', 'robin.x.json'), '{}')
    expect([isIdle(), quietIn(home)]).toEqual([true, ['quinn']])
  })

  it('is false for another store, and leaves the files of this one alone', async () => {
    const { home, configure, isIdle } = await open()
    expect(isIdle({ POSTERN_STORE: join(temporaryFolder(), 'postern.db') })).toBe(false)
    expect(isIdle({ POSTERN_STORE: 'postgres://localhost/none' })).toBe(false)
    configure({ store: 'postgres://localhost/none' })
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
  })

  it('is false while the spool of the session holds entries', async () => {
    const { home, project, isIdle } = await open()
    const spool = spoolPath(project, 's')
    mkdirSync(dirname(spool), { recursive: true })
    writeFileSync(spool, '{"content":"x"}\n')
    expect([isIdle(), quietIn(home)]).toEqual([false, []])
  })
})
