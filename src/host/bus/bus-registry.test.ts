import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openLocal } from '../../../test/helpers/open-local.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import type { BusRegistry } from '../../core/context.ts'
import { openBusRegistry } from './bus-registry.ts'

const TASK = { project_id: 'p', task_id: 't' }
const PART = { limit: 10, maxBytes: 1_000_000 }
const draft = (body: string) => ({ ...TASK, type: 'FACT', body: new TextEncoder().encode(body) })

/** Which bus a folder belongs to, and what stands there. */
function lookAround(buses: BusRegistry, folder: string | null) {
  return buses.around(folder, async (shelf, place) => {
    const { items } = await shelf.read(place, PART)
    return { place, bodies: items.map(({ body }) => body) }
  })
}

describe('buses', () => {
  it('are closed with the Postern that opened them, and so is whoever follows one', async () => {
    const root = temporaryFolder()
    const postern = await openLocal(join(root, 'postern.db'), { upkeep: false, bus: { root } })
    const { msg_id } = await postern.bus.post({ ...TASK, body: 'one' })
    const following = postern.bus.wait({ ...TASK, after: msg_id })
    const refused = expect(following).rejects.toThrow('closed')
    await postern.close()
    await refused
    await postern.close()
  })

  it('find that of a folder, wherever it lies', async () => {
    const root = temporaryFolder()
    const buses = openBusRegistry({ bus: { root }, isShared: true })
    await buses.shelf.append(TASK, draft('below the root'))
    const folder = join(root, 'p', 't', 'src')
    mkdirSync(folder)
    expect(await lookAround(buses, folder)).toEqual({ place: TASK, bodies: ['below the root'] })

    const elsewhere = join(temporaryFolder(), 'project')
    mkdirSync(elsewhere)
    expect(await lookAround(buses, elsewhere)).toBeUndefined()
    expect(await lookAround(buses, null)).toBeUndefined()
    writeFileSync(join(elsewhere, 'MESSAGE-BUS.md'), '[2026-01-15 09:00:00] FACT: elsewhere\n')
    expect(await lookAround(buses, elsewhere)).toEqual({ place: { project_id: 'project' }, bodies: ['elsewhere'] })
    buses.close()
  })

  it('go by the run that a command is a part of, and not by that of a server', async () => {
    const root = temporaryFolder()
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('JRUN_PROJECT_ID', 'p')
    vi.stubEnv('JRUN_TASK_ID', 't')
    const [own, shared] = [openBusRegistry({ bus: { root } }), openBusRegistry({ bus: { root }, isShared: true })]
    await own.shelf.append(TASK, draft('of the run'))
    expect(await lookAround(own, temporaryFolder())).toEqual({ place: TASK, bodies: ['of the run'] })
    expect(await lookAround(shared, temporaryFolder())).toBeUndefined()
    for (const buses of [own, shared]) buses.close()
  })
})
