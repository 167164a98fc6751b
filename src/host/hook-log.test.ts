import { appendFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { HOOK_LOG } from './hook-fault.ts'
import { findHookLogs, noteFault, readFaults } from './hook-log.ts'
import { inspectFaults } from './inspect-hooks.ts'

const FAULT = { at: '2026-11-16T03:48:12.000Z', host: 'codex', event: 'Stop', fault: 'it was\nso' }

it('keeps the last faults, newest last, a line each', () => {
  const home = temporaryFolder()
  for (let at = 0; at < 5; at++) noteFault(home, { ...FAULT, event: `${at}` })
  expect(readFaults(home, 2).map(({ event }) => event)).toEqual(['3', '4'])
  expect(readFaults(home, 9)).toHaveLength(5)
  expect(statSync(join(home, HOOK_LOG)).mode & 0o777).toBe(0o600)
})

it('reads the lines of the launcher too, and passes over any other', () => {
  const home = temporaryFolder()
  noteFault(home, FAULT)
  appendFileSync(join(home, HOOK_LOG), '2026-11-16T03:48:13Z launcher: Node is gone\nnoise\n{"at":\n')
  expect(readFaults(home, 9)).toEqual([
    FAULT,
    { at: '2026-11-16T03:48:13Z', host: '', event: 'launcher', fault: 'Node is gone' },
  ])
  expect(inspectFaults(home)[0]).toMatchObject({ ok: false, detail: expect.stringContaining('launcher: Node is gone') })
})

it('takes no fault of its own for a line of the launcher, whatever it says', () => {
  const home = temporaryFolder()
  const fault = { ...FAULT, fault: 'x launcher: y' }
  noteFault(home, fault)
  expect(readFaults(home, 9)).toEqual([fault])
})

it('stays small, and never throws', () => {
  const home = temporaryFolder()
  for (let at = 0; at < 1_000; at++) noteFault(home, { ...FAULT, fault: 'x'.repeat(10_000) })
  expect(statSync(join(home, HOOK_LOG)).size).toBeLessThan(70_000)
  expect(readFaults(join(home, 'nowhere'), 9)).toEqual([])
  expect(inspectFaults(join(home, 'nowhere'))).toEqual([expect.objectContaining({ name: 'hooks.faults', ok: true })])
})

it('is kept beside a home that cannot be written, and read together with the log in the home', () => {
  vi.stubEnv('XDG_RUNTIME_DIR', temporaryFolder())
  const home = temporaryFolder()
  noteFault(home, { ...FAULT, at: '2026-11-16T03:00:00Z' })
  renameSync(home, `${home}-away`)
  writeFileSync(home, '')
  for (let at = 0; at < 1_000; at++)
    noteFault(home, { ...FAULT, at: '2026-11-16T02:00:00Z', fault: 'x'.repeat(10_000) })
  noteFault(home, { ...FAULT, at: '2026-11-16T04:00:00Z' })
  rmSync(home)
  renameSync(`${home}-away`, home)
  const faults = readFaults(home, 300)
  expect([faults.at(-2)?.at, faults.at(-1)?.at]).toEqual(['2026-11-16T03:00:00Z', '2026-11-16T04:00:00Z'])
  const logs = findHookLogs(home)
  expect(logs).toHaveLength(2)
  for (const log of logs) expect(statSync(log).size).toBeLessThan(70_000)
  expect(inspectFaults(home)[0]?.next).toContain(logs.join(' and '))
  vi.unstubAllEnvs()
})
