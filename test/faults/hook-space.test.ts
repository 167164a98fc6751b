import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { overwriteShadow } from '../../src/hooks/shadows.ts'
import { NO_SHADOW, openShadow, withPasses } from '../../src/host/shadow.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { fill, mountMemory, needsMounts } from './harness/disk.ts'

const OWNER = { agent: 'quinn', sessionId: 'ses-1' }
const GATE = { name: 'gate_1', reason: 'wait', hook: 'stop', mode: 'strict', tool: null, until: null } as const
const SHADOW = { ...NO_SHADOW, gates: [{ ...GATE, onUnavailable: 'block' } as const] }

describe('the shadow of the gates on a full disk', needsMounts(), () => {
  it('counts stops and remembers passes, and leaves nothing else behind', () => {
    const home = join(temporaryFolder(), 'disk')
    onTestFinished(mountMemory(home, 'size=256k'))
    openShadow(home, OWNER).write({ ...SHADOW, folder: 'a folder with a long name' })
    fill(join(home, 'filler'))
    for (const shadow of [{ ...SHADOW, blocks: 1 }, { ...SHADOW, blocks: 3 }, withPasses(SHADOW, ['gate_1'])]) {
      expect([openShadow(home, OWNER).write(shadow), overwriteShadow(home, OWNER, shadow)]).toEqual([false, true])
      expect(openShadow(home, OWNER).read()).toEqual({ ...shadow, changedAt: expect.any(Number) })
    }
    expect(overwriteShadow(home, OWNER, { ...SHADOW, bypassed: ['x'.repeat(100_000)] })).toBe(false)
    expect(openShadow(home, OWNER).read()).toMatchObject({ gates: SHADOW.gates, bypassed: ['gate_1'] })
    expect(readdirSync(join(home, 'shadow'))).toHaveLength(1)
  })
})
