import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { NO_SHADOW } from '../host/shadow.ts'
import type { StandingGate } from '../model/gates.ts'
import type { SoundEvent } from './call.ts'
import { generic } from './hosts/generic.ts'
import { findLeft, markPending } from './pending.ts'

const OWNER = { agent: 'quinn', sessionId: 'ses-1' }
const STOP = generic.parse({ event: 'turn.stop', session_id: 'ses-1' }) as SoundEvent
const GATE: StandingGate = {
  name: 'gate_1',
  hook: 'stop',
  tool: null,
  mode: 'strict',
  reason: 'x',
  onUnavailable: 'block',
  until: null,
}
const SHADOW = { ...NO_SHADOW, store: 'a', place: 'b', gates: [GATE] }

let runtime: string
beforeEach(() => {
  runtime = temporaryFolder()
  vi.stubEnv('XDG_RUNTIME_DIR', runtime)
  return () => vi.unstubAllEnvs()
})

const files = () => readdirSync(runtime, { recursive: true }).filter((name) => `${name}`.endsWith('.pending'))

it('marks nothing unless a strict gate concerns the event', () => {
  const home = temporaryFolder()
  const tool = generic.parse({ event: 'tool.before', session_id: 'ses-1', tool: 'Bash' }) as SoundEvent
  expect(markPending(home, OWNER, { ...SHADOW, gates: [{ ...GATE, mode: 'soft' }] }, STOP)).toBeUndefined()
  expect(markPending(home, OWNER, { ...SHADOW, gates: [{ ...GATE, until: 1 }] }, STOP)).toBeUndefined()
  expect(markPending(home, OWNER, SHADOW, tool)).toBeUndefined()
  expect(files()).toEqual([])
})

it('is left by no hook that still runs, and by none that has answered', () => {
  const home = temporaryFolder()
  const marks = [markPending(home, OWNER, SHADOW, STOP), markPending(home, OWNER, SHADOW, STOP)]
  expect(files()).toHaveLength(2)
  expect(findLeft(home)).toEqual([])
  for (const mark of marks) mark?.clear()
  expect(files()).toEqual([])
})

it('is left by a process that is gone, and reported by one hook of those that find it', async () => {
  const home = temporaryFolder()
  markPending(home, OWNER, SHADOW, STOP)
  const gone = spawn(process.execPath, ['--version'])
  await once(gone, 'close')
  const [name = ''] = files()
  const path = join(runtime, `${name}`)
  renameSync(path, path.replace(`.${process.pid}.`, `.${gone.pid}.`))
  expect(findLeft(home, { ...OWNER, sessionId: 'ses-2' })).toEqual([])
  expect(findLeft(temporaryFolder())).toEqual([])
  const [[one], [other]] = [findLeft(home, OWNER), findLeft(home)]
  expect(one).toMatchObject({ ...OWNER, gates: ['gate_1'], owedTo: { id: 'a', place: 'b' } })
  expect([one?.claim(), other?.claim()]).toEqual([true, false])
  // Should this process be killed now, the mark is left once more.
  expect([findLeft(home), files()]).toEqual([[], [expect.anything()]])
  one?.forget()
  expect(files()).toEqual([])
})
