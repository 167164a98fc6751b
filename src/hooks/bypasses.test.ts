import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { configWith } from '../../test/helpers/config-with.ts'
import { openLocal } from '../../test/helpers/open-local.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { readConfig } from '../host/config/config.ts'
import { HANDOFF } from '../host/config/handoff.ts'
import { open } from '../host/open/open.ts'
import type { LocalPostern } from '../model/postern.ts'
import { reportBypasses } from './bypasses.ts'
import { createCall, type SoundEvent } from './call.ts'
import { generic } from './hosts/generic.ts'
import { NO_SHADOW, openShadow } from './shadow.ts'
import { HOOK_TIMEOUTS } from './timeouts.ts'

const GATE = { name: 'gate_1', hook: 'stop', tool: null, mode: 'strict', reason: 'x', until: null } as const
const SHADOW = { ...NO_SHADOW, gates: [{ ...GATE, onUnavailable: 'block' } as const] }

it('forgets only the passes that it has told, whatever other hooks write down meanwhile', async () => {
  const home = temporaryFolder()
  const postern = await openStore(home)
  const file = openShadow(home, { agent: 'quinn', sessionId: 'ses-1' })
  file.write({ ...SHADOW, bypassed: ['first'] })
  // While the store is told, another hook of that session passes a second gate.
  const passed: LocalPostern['hooks']['passed'] = async (input) => {
    await postern.hooks.passed(input)
    file.write({ ...SHADOW, blocks: 2, bypassed: ['first', 'second'] })
  }
  const call = callOf({ ...postern, hooks: { ...postern.hooks, passed } }, home)
  await reportBypasses(call, home, NO_SHADOW)
  expect(file.read()).toEqual({ ...SHADOW, blocks: 2, bypassed: ['second'] })
})

async function openStore(home: string): Promise<LocalPostern> {
  const whole = await openLocal(join(home, 'postern.db'), { upkeep: false })
  await whole.agents.add({ id: 'quinn' })
  await whole.close()
  const postern = await open(readConfig({ flags: { home }, env: {}, cwd: home }), { upkeep: false, mustExist: true })
  onTestFinished(() => postern.close())
  return postern
}

function callOf(postern: LocalPostern, root: string) {
  const event = generic.parse({ event: 'session.start', session_id: 'ses-2' }) as SoundEvent
  const settings = {
    stopCap: null,
    ageMs: () => 0,
    timeouts: HOOK_TIMEOUTS,
    nonce: () => 'x',
    hostProcess: () => undefined,
    markers: () => [],
  }
  const limits = { drainMessages: 20, drainCharacters: 8_000 }
  const handoff = () => configWith({}).get(HANDOFF)
  const rules = { limits, handoff, uncounted: 0, counted: 0, note: () => {} }
  return createCall({ event, host: generic, agent: 'quinn', postern, settings, root, ...rules })
}
