import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { processStart } from './processes.ts'

const MODULE = new URL('./host-process.ts', import.meta.url).href

describe('the host of a process', () => {
  it('is the nearest program above it that is no shell', () => {
    const script = `const { hostProcessAbove } = await import(${JSON.stringify(MODULE)}); console.log(JSON.stringify(hostProcessAbove(process.pid)))`
    const inShells = `sh -c '"$NODE" --input-type=module -e "$SCRIPT"; true'; true`
    const env = { ...process.env, NODE: process.execPath, SCRIPT: script, NODE_NO_WARNINGS: '1' }
    const found = JSON.parse(execFileSync('sh', ['-c', inShells], { encoding: 'utf8', env }))
    expect(found).toEqual({ pid: process.pid, startedAt: processStart(process.pid) })
  })
})
