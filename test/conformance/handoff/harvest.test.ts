import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { SessionGateRule } from '../../../src/model/gate.ts'
import { temporaryFolder } from '../../helpers/temp.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { asQuinn, EVERYONE, judge, namesIn } from '../gates/people.ts'
import { conformance } from '../suite.ts'
import { leave, project, repository, take } from './handing.ts'

const HARVEST: SessionGateRule = { name: 'harvest', hook: 'stop', mode: 'soft', check: null, reason: 'Leave it' }

conformance('the session gate harvest', ({ rule, open }) => {
  async function atWork(isSetUp = true) {
    const world = await open({ agents: EVERYONE, sessionGates: [HARVEST] })
    const root = isSetUp ? await project(world.postern) : repository()
    await world.postern.sessions.begin({ id: 'ses-1', agent: 'quinn', project: root })
    const isAsked = async () => namesIn(await judge(world.postern)).soft.includes('harvest')
    return { ...world, root, isAsked }
  }

  rule('asks for nothing where nobody has set up a handoff', async () => {
    verifies('S004.harvest')
    const { isAsked } = await atWork(false)
    expect(await isAsked()).toBe(false)
  })

  rule('asks until the session itself has left an item, also when that was inherited meanwhile', async () => {
    verifies('S004.harvest')
    const { postern, root, isAsked } = await atWork()
    expect(await isAsked()).toBe(true)
    await leave(postern, root, 'of another', { session: 'ses-0' })
    expect(await isAsked()).toBe(true)
    await leave(postern, root, 'its own', { session: 'ses-1' })
    expect(await isAsked()).toBe(false)
    await take(postern, root)
    expect(await isAsked()).toBe(false)
  })

  rule('takes a mark as well, and asks nothing of a session on another machine', async () => {
    verifies('S004.harvest')
    const marked = await atWork()
    await asQuinn(marked.postern).gates.mark({ sessionId: 'ses-1', name: 'harvest' })
    expect(await marked.isAsked()).toBe(false)
    const { tamper, isAsked } = await atWork()
    await tamper(`UPDATE sessions SET machine = 'elsewhere'`)
    expect(await isAsked()).toBe(false)
  })

  rule('does not blame the agent for folders that cannot be read', async () => {
    verifies('S004.harvest')
    const { root, isAsked } = await atWork()
    rmSync(join(root, 'inbox'), { recursive: true })
    symlinkSync(temporaryFolder(), join(root, 'inbox'))
    expect(await isAsked()).toBe(false)
  })
})
