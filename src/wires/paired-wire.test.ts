import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { createSignal } from '../../test/helpers/signal.ts'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { createDoorbell } from './local/doorbell.ts'
import { createPairedWire } from './paired-wire.ts'
import type { OnRing, Wire } from './wire.ts'

let own: Wire
/** An engine that may be away, in which case listening to it takes until it is there. */
let engine: Wire & { come(): void; rung: string[][]; isAway: boolean }
let wire: Wire
let notes: string[]

beforeEach(() => {
  own = createDoorbell({ folder: join(temporaryFolder(), 'bells') })
  const doorbell = createDoorbell({ folder: join(temporaryFolder(), 'bells') })
  const there = createSignal()
  const rung: string[][] = []
  engine = {
    ...doorbell,
    rung,
    isAway: false,
    come() {
      engine.isAway = false
      there.fire()
    },
    async ring(names) {
      if (engine.isAway) throw new Error('the engine is away')
      rung.push([...names])
      await doorbell.ring(names)
    },
    async listen(names, onRing: OnRing) {
      if (engine.isAway) await there.fired
      return doorbell.listen(names, onRing)
    },
    async health() {
      return { isUp: !engine.isAway, detail: 'an engine' }
    },
  }
  notes = []
  wire = createPairedWire(own, engine, (event) => notes.push(event))
  onTestFinished(() => wire.close())
})

describe('two wires as one', () => {
  it('ring both', async () => {
    const [near, far] = [createSignal(), createSignal()]
    await own.listen(['quinn'], () => near.fire())
    await engine.listen(['quinn'], () => far.fire())
    await wire.ring(['quinn'])
    await Promise.all([near.fired, far.fired])
  })

  it('ring who is near first', async () => {
    const order: string[] = []
    const rings = (name: string, wire: Wire): Wire => ({ ...wire, ring: () => void order.push(name) })
    await createPairedWire(rings('near', own), rings('far', engine)).ring(['quinn'])
    expect(order).toEqual(['near', 'far'])
  })

  it('hear both', async () => {
    const heard = createSignal<readonly string[]>()
    await wire.listen(['quinn'], (names) => heard.fire(names))
    await own.ring(['quinn'])
    expect(await heard.fired).toEqual(['quinn'])
    const next = heard.next()
    await engine.ring(['quinn'])
    expect(await next).toEqual(['quinn'])
  })

  it('go on without an engine that is away, and fail only where the own one does', async () => {
    engine.isAway = true
    await wire.ring(['quinn'])
    expect(engine.rung).toEqual([])
    expect(await wire.health()).toMatchObject({ isUp: false })
    const failing = createPairedWire({ ...own, ring: () => Promise.reject(new Error('no')) }, engine)
    await expect(failing.ring(['quinn'])).rejects.toThrow('no')
  })

  it('listen at once while the engine is away, and ring whoever did when it is there', async () => {
    engine.isAway = true
    const heard = createSignal<readonly string[]>()
    await wire.listen(['quinn', '@all'], (names) => heard.fire(names))
    expect(heard.values).toEqual([])
    engine.come()
    expect(await heard.fired).toEqual(['quinn', '@all'])
  })

  it('ring nobody who has closed meanwhile', async () => {
    engine.isAway = true
    const heard = createSignal()
    const listener = await wire.listen(['quinn'], () => heard.fire())
    await listener.close()
    engine.come()
    await engine.ring(['quinn'])
    await wire.ring(['quinn'])
    expect(heard.values).toEqual([])
  })

  it('say of an engine that cannot be listened to that it is deaf, and hear the own one', async () => {
    engine.listen = () => Promise.reject(new Error('no'))
    const heard = createSignal()
    await wire.listen(['quinn'], () => heard.fire())
    await own.ring(['quinn'])
    await heard.fired
    expect(notes).toEqual(['wire.deaf'])
  })
})
