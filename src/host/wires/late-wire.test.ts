import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSignal } from '../../../test/helpers/signal.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { createDoorbell } from '../../wires/local/doorbell.ts'
import { createLateWire } from './late-wire.ts'

function late() {
  const folder = join(temporaryFolder(), 'bells')
  const opened = createSignal()
  const wire = createLateWire(() => {
    opened.fire()
    return createDoorbell({ folder })
  })
  return { wire, opened: opened.values }
}

describe('a wire that is opened late', () => {
  it('is opened by the first who listens, and once', async () => {
    const { wire, opened } = late()
    await wire.ring(['quinn'])
    expect(opened).toHaveLength(0)
    expect(wire.lastRungAt('quinn')).toBeUndefined()
    expect(await wire.health()).toMatchObject({ isUp: true })
    const heard = createSignal()
    await wire.listen(['quinn'], () => heard.fire())
    await wire.listen(['robin'], () => {})
    expect(opened).toHaveLength(1)
    await wire.ring(['quinn'])
    await heard.fired
    await wire.close()
  })

  it('is not opened any more once it was closed', async () => {
    const { wire, opened } = late()
    await wire.close()
    const listener = await wire.listen(['quinn'], () => {})
    await listener.close()
    expect(opened).toHaveLength(0)
  })
})
