import { closeSync, openSync, readdirSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { NO_SHADOW, openShadow } from '../../src/hooks/shadow.ts'
import { temporaryFolder } from '../helpers/temp.ts'
import { mountMemory, needsMounts } from './harness/disk.ts'

const OWNER = { agent: 'quinn', sessionId: 'ses-1' }
const GATE = { name: 'gate_1', reason: 'wait', hook: 'stop', mode: 'strict', tool: null, until: null } as const
const SHADOW = { ...NO_SHADOW, gates: [{ ...GATE, onUnavailable: 'block' } as const] }

function fill(path: string): void {
  const fd = openSync(path, 'a')
  try {
    while (writeSync(fd, Buffer.alloc(4_096)) > 0);
  } catch {
    // It is full.
  } finally {
    closeSync(fd)
  }
}

describe('the shadow of the gates on a full disk', needsMounts(), () => {
  it('counts stops and remembers passes, and leaves nothing else behind', () => {
    const home = join(temporaryFolder(), 'disk')
    onTestFinished(mountMemory(home, 'size=256k'))
    openShadow(home, OWNER).write({ ...SHADOW, folder: 'a folder with a long name' })
    fill(join(home, 'filler'))
    for (const shadow of [
      { ...SHADOW, blocks: 1 },
      { ...SHADOW, blocks: 3 },
      { ...SHADOW, bypassed: ['gate_1'] },
    ]) {
      openShadow(home, OWNER).write(shadow)
      expect(openShadow(home, OWNER).read()).toEqual(shadow)
    }
    openShadow(home, OWNER).write({ ...SHADOW, bypassed: ['x'.repeat(100_000)] })
    expect(openShadow(home, OWNER).read()).toEqual({ ...SHADOW, bypassed: ['gate_1'] })
    expect(readdirSync(join(home, 'shadow'))).toHaveLength(1)
  })
})
