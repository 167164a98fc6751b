import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { HealthCheck } from '../../src/model/postern.ts'
import { type Outcome, postern, posternJson } from '../helpers/command.ts'
import { WITHOUT_ROOT } from '../helpers/needs.ts'
import { fastFolder } from '../helpers/temp.ts'
import { verifies } from './verifies.ts'

let locked: string | undefined

afterEach(() => {
  if (locked !== undefined) chmodSync(locked, 0o700)
  locked = undefined
})

async function makeHome(): Promise<string> {
  const home = fastFolder()
  await posternJson({ home }, 'agent', 'add', 'quinn')
  return home
}

function checksIn({ stdout }: Outcome): readonly HealthCheck[] {
  return (JSON.parse(stdout) as { checks: HealthCheck[] }).checks
}

const failed = (checks: readonly HealthCheck[]) => checks.flatMap(({ name, ok }) => (ok ? [] : [name]))
const WRAP = WITHOUT_ROOT.length === 0 ? {} : { wrap: WITHOUT_ROOT }

describe('doctor', () => {
  it('says what it can of a home that it may not read, and what is wrong', async () => {
    verifies('S000.doctor.hooks')
    const home = await makeHome()
    locked = home
    chmodSync(home, 0o000)
    const outcome = await postern({ home, cwd: fastFolder(), ...WRAP }, 'doctor', '--json')
    const checks = checksIn(outcome)
    expect(outcome).toMatchObject({ exit: 1, stderr: '' })
    expect(JSON.stringify(checks)).not.toContain('INTERNAL')
    expect(JSON.stringify(checks)).not.toContain('Something unexpected')
    expect(checks.find(({ name }) => name === 'runtime.node')).toMatchObject({ ok: true })
    expect(failed(checks)).toEqual(expect.arrayContaining(['store.open', 'wire']))
    expect(checks.find(({ name }) => name === 'wire')?.detail).toContain('EACCES')
  })

  it('runs doctor, and every command that needs no relative path, in a removed folder', async () => {
    const home = await makeHome()
    const wrap = ['sh', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', 'sh']
    const inGone = (...words: readonly string[]) => postern({ home, wrap }, ...words)
    expect(checksIn(await inGone('doctor', '--json')).find(({ name }) => name === 'store.integrity')?.ok).toBe(true)
    for (const words of [['inbox', 'push', '--to', 'quinn', 'x'], ['inbox', 'drain', '--agent', 'quinn'], ['status']]) {
      expect(await inGone(...words), words.join(' ')).toMatchObject({ exit: 0, stderr: '' })
    }
    for (const words of [
      ['inbox', 'list', '--store', 'x.db'],
      ['backup', 'x.db'],
      ['handoff', 'list'],
    ]) {
      const { exit, stderr } = await inGone(...words)
      expect({ exit, stderr }, words.join(' ')).toMatchObject({
        exit: 64,
        stderr: expect.stringContaining('was removed'),
      })
    }
  })

  it('looks at what is there by default where the configuration is broken', async () => {
    verifies('S000.doctor.hooks')
    const home = await makeHome()
    writeFileSync(join(home, 'config.json'), '{ "store": ')
    const outcome = await postern({ home, cwd: fastFolder() }, 'doctor', '--json')
    expect(outcome).toMatchObject({ exit: 1, stderr: '' })
    const checks = checksIn(outcome)
    expect(checks.find(({ name }) => name === 'config.read')).toMatchObject({
      ok: false,
      level: 'error',
      detail: expect.stringContaining(join(home, 'config.json')),
    })
    expect(checks.find(({ name }) => name === 'store.integrity')).toMatchObject({ ok: true })
    // Every other command refuses to guess.
    expect(await postern({ home }, 'inbox', 'list')).toMatchObject({ exit: 64 })
  })

  it('makes no store where the configuration is broken', async () => {
    verifies('S000.doctor.hooks')
    const home = fastFolder()
    writeFileSync(join(home, 'config.json'), '[]')
    expect(failed(checksIn(await postern({ home, cwd: fastFolder() }, 'doctor', '--json')))).toContain('store.open')
    expect(await postern({ home, cwd: fastFolder() }, 'doctor')).toMatchObject({ exit: 1 })
  })

  it('warns of no host that was never set up, also at the root of the file system', async () => {
    verifies('S000.doctor.hooks')
    const home = await makeHome()
    const hosts = (checks: readonly HealthCheck[]) => checks.filter(({ name }) => name.startsWith('host'))
    expect(hosts(checksIn(await postern({ home, cwd: '/' }, 'doctor', '--json')))).toEqual([])
  })

  it('says once of a file of settings that it cannot be read', async () => {
    verifies('S000.doctor.hooks')
    const [home, project] = [await makeHome(), fastFolder()]
    mkdirSync(join(project, '.git'))
    mkdirSync(join(project, '.claude', 'settings.json'), { recursive: true })
    const checks = checksIn(await postern({ home, cwd: project }, 'doctor', '--json'))
    expect(checks.filter(({ name }) => name.startsWith('host'))).toMatchObject([
      { name: 'host.claude-code', ok: false },
    ])
  })
})
