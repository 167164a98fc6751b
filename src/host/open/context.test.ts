import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openLocal } from '../../../test/helpers/open-local.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { Postern } from '../../model/postern.ts'
import { Connection } from '../../store/sqlite/connection.ts'
import { createDoorbell } from '../../wires/local/doorbell.ts'

async function open(): Promise<Postern> {
  const postern = await openLocal(join(temporaryFolder(), 'postern.db'), { upkeep: false })
  onTestFinished(() => postern.close())
  for (const id of ['ada', 'bob']) await postern.agents.add({ id })
  return postern
}

/** Whether each commit of a call was to wait for the disk, first to last. Between commits the connection waits again. */
async function waitsOf(call: () => Promise<unknown>): Promise<readonly boolean[]> {
  const spy = vi.spyOn(Connection.prototype, 'waitForDisk')
  await call()
  const waits = spy.mock.calls.map(([isDurable]) => isDurable)
  spy.mockRestore()
  return waits
}

async function waitsForDisk(call: () => Promise<unknown>): Promise<boolean> {
  return (await waitsOf(call)).every((isDurable) => isDurable)
}

describe('durability of a call', () => {
  it('waits for the disk after a push, and not after a plain drain', async () => {
    const { inbox } = await open()
    expect(await waitsForDisk(() => inbox.push({ to: ['ada'], content: 'hi' }))).toBe(true)
    expect(await waitsForDisk(() => inbox.drain({ agent: 'ada' }))).toBe(false)
  })

  it('waits for the disk when a drain expands broadcasts, and not for the offer that follows', async () => {
    const { inbox } = await open()
    await inbox.push({ to: ['all'], content: 'hi' })
    const [expansion, ...others] = await waitsOf(() => inbox.drain({ agent: 'ada' }))
    expect([expansion, others.includes(false)]).toEqual([true, true])
  })

  it('does not wait for the disk for what a power failure ends anyway: a session, and what it was shown', async () => {
    const { inbox, sessions } = await open()
    await inbox.push({ to: ['bob'], content: 'hi' })
    const drained = await inbox.drain({ agent: 'bob', sessionId: 's1' })
    const offerId = drained.offer?.id ?? ''
    expect(await waitsForDisk(() => inbox.printed({ offerId }))).toBe(false)
    const note = (event: string) => sessions.note({ id: 's2', agent: 'bob', event, ageMs: 0 })
    expect(await waitsForDisk(() => note('session.start'))).toBe(false)
    await inbox.push({ to: ['bob'], content: 'again' })
    expect(await waitsForDisk(() => inbox.drain({ agent: 'bob', sessionId: 's1' }))).toBe(false)
  })

  it('waits for the disk after a confirmation', async () => {
    const { inbox } = await open()
    await inbox.push({ to: ['ada'], content: 'hi' })
    const { offer } = await inbox.drain({ agent: 'ada' })
    const confirm = () => inbox.confirm({ offerId: offer?.id ?? '', evidence: 'a test', printed: true })
    expect(await waitsForDisk(confirm)).toBe(true)
  })
})

it('rings the followers of events with every ring', async () => {
  const folder = temporaryFolder()
  const postern = await openLocal(join(folder, 'postern.db'), { upkeep: false })
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'ada' })
  const wire = createDoorbell({ folder: join(folder, 'bells') })
  onTestFinished(() => wire.close())
  const rung = createSignal<readonly string[]>()
  await wire.listen(['@events'], rung.fire)
  await postern.inbox.push({ to: ['ada'], content: 'hi' })
  expect(await rung.fired).toEqual(['@events'])
})
