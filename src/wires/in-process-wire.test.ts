import { join } from 'node:path'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temp.ts'
import { createInProcessWire } from './in-process-wire.ts'
import { createDoorbell } from './local/doorbell.ts'
import type { Listener, Wire } from './wire.ts'

let beneath: Wire
let wire: Wire
let rings: string[][]

/** A doorbell, with a look at what it is asked to ring. */
beforeEach(() => {
  const doorbell = createDoorbell({ folder: join(temporaryFolder(), 'bells') })
  rings = []
  beneath = {
    ...doorbell,
    ring(names) {
      rings.push([...names])
      return doorbell.ring(names)
    },
  }
  wire = createInProcessWire(beneath)
  onTestFinished(() => wire.close())
})

it('rings once for all that is rung in one go', async () => {
  const rung = [wire.ring(['quinn', '@events']), wire.ring(['robin', '@events']), wire.ring(['quinn', '@events'])]
  await Promise.all(rung)
  expect(rings).toEqual([['quinn', '@events', 'robin']])
  await wire.ring(['quinn'])
  expect(rings).toHaveLength(2)
})

it('tells whoever waits in this process before the wire beneath has rung', async () => {
  const heard: (readonly string[])[] = []
  await wire.listen(['quinn', '@events'], (names) => heard.push([...names, String(rings.length)]))
  await wire.ring(['robin'])
  expect(heard).toEqual([])
  await wire.ring(['@events', 'sasha'])
  expect(heard).toEqual([['@events', '1']])
})

it('rings those who listen elsewhere', async () => {
  let hear = (_: readonly string[]) => {}
  const heard = new Promise<readonly string[]>((resolve) => {
    hear = resolve
  })
  await beneath.listen(['quinn'], (names) => hear(names))
  await wire.ring(['quinn'])
  expect(await heard).toEqual(['quinn'])
})

it('tells nobody who has closed, not even by what the same ring has made another do', async () => {
  const heard: string[] = []
  const listeners: Listener[] = []
  for (const name of ['first', 'second']) {
    const onRing = () => {
      heard.push(name)
      for (const listener of listeners) void listener.close()
    }
    listeners.push(await wire.listen(['quinn'], onRing))
  }
  await wire.ring(['quinn'])
  expect(heard).toEqual(['first'])
})

it('says that it could not ring, to all who rang', async () => {
  const broken = createInProcessWire({ ...beneath, ring: () => Promise.reject(new Error('no connection')) })
  const rung = [broken.ring(['quinn']), broken.ring(['robin'])]
  for (const each of rung) await expect(each).rejects.toThrow('no connection')
})
