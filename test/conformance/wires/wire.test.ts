import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import type { OnRing, Wire } from '../../../src/wires/wire.ts'
import { missingPrograms, needs } from '../../helpers/needs.ts'
import { createSignal, type Signal } from '../../helpers/signal.ts'
import { verifies } from '../../scenarios/verifies.ts'
import { type Engine, WIRES, type WireWorld } from './makers.ts'

/** On a busy machine everything takes its time. */
const PATIENT = { timeout: 20_000 }

for (const maker of WIRES) {
  const missing = missingPrograms(...maker.programs)
  const world = missing === undefined ? await maker.open() : undefined
  describe(`the wire contract on ${maker.name}`, needs(missing), () => {
    const { create, program, engine } = (world ?? {}) as WireWorld
    afterAll(() => world?.destroy())
    const open = (): Wire => {
      const wire = create()
      onTestFinished(() => wire.close())
      return wire
    }
    ringing(open)
    closing(open)
    acrossProcesses(open, program)
    if (engine) outliving(open, engine)
  })
}

/** The names that were heard, whether they came one by one or in one go. */
interface Heard extends Signal<string> {
  readonly onRing: OnRing
}

function hear(): Heard {
  const signal = createSignal<string>()
  return { ...signal, onRing: (names) => names.forEach(signal.fire) }
}

async function ringHeard(wire: Wire, name: string, heard: Heard): Promise<void> {
  const next = heard.next()
  await wire.ring([name])
  expect(await next).toBe(name)
}

function ringing(open: () => Wire): void {
  it('rings those who listen to a name, on whichever wire, and nobody else', async () => {
    verifies('wires.rings')
    const [here, there] = [open(), open()]
    const [quinn, riley] = [hear(), hear()]
    await here.listen(['quinn', '@all'], quinn.onRing)
    await there.listen(['riley'], riley.onRing)
    await ringHeard(there, 'quinn', quinn)
    await ringHeard(here, 'quinn', quinn)
    await ringHeard(there, '@all', quinn)
    await ringHeard(here, 'riley', riley)
    expect(new Set(quinn.values)).toEqual(new Set(['quinn', '@all']))
    expect(new Set(riley.values)).toEqual(new Set(['riley']))
  })

  it('rings many names in one go, and all who listen to one of them', async () => {
    const [here, there] = [open(), open()]
    const names = Array.from({ length: 40 }, (_, i) => `agent-${i}`)
    const [all, some, one] = [hear(), hear(), hear()]
    await here.listen(names, all.onRing)
    await there.listen(names.slice(0, 20), some.onRing)
    await there.listen(['agent-39'], one.onRing)
    await here.ring(names)
    await expect.poll(() => [all, some, one].map(({ values }) => new Set(values).size), PATIENT).toEqual([40, 20, 1])
  })

  it('listens to a name anew while others go on listening to it', async () => {
    const wire = open()
    const [first, second, third] = [hear(), hear(), hear()]
    await wire.listen(['quinn'], first.onRing)
    await (await wire.listen(['quinn'], second.onRing)).close()
    await ringHeard(wire, 'quinn', first)
    await wire.listen(['quinn'], third.onRing)
    await ringHeard(wire, 'quinn', third)
    expect(second.values).toEqual([])
  })

  it.each([
    '',
    '*',
    '>',
    'a.b',
    'x>y',
    '../x',
    'Quinn',
    'a b',
    "x'; --",
    '{"a":1}',
    'é',
  ])('neither rings nor listens to %j, which is no name', async (name) => {
    verifies('wires.names')
    const wire = open()
    await expect((async () => wire.ring([name]))()).rejects.toThrow(RangeError)
    await expect(wire.listen([name], () => {})).rejects.toThrow(RangeError)
  })

  it('says that it is up', async () => {
    verifies('wires.health')
    const health = await open().health()
    expect(health).toEqual({ isUp: true, detail: expect.stringMatching(/\w/) })
  })
}

function closing(open: () => Wire): void {
  it('never calls a listener that was closed', async () => {
    const wire = open()
    const [closed, other] = [hear(), hear()]
    const listener = await wire.listen(['quinn'], closed.onRing)
    await wire.listen(['quinn'], other.onRing)
    await listener.close()
    await listener.close()
    await ringHeard(wire, 'quinn', other)
    expect(closed.values).toEqual([])
  })

  it('calls none of its listeners once it is closed, and can be closed twice', async () => {
    const [wire, other] = [open(), open()]
    const [closed, heard] = [hear(), hear()]
    const listener = await wire.listen(['quinn'], closed.onRing)
    await other.listen(['quinn'], heard.onRing)
    await wire.close()
    await wire.close()
    await listener.close()
    await ringHeard(other, 'quinn', heard)
    expect(closed.values).toEqual([])
  })

  it('can be closed before it was used', async () => {
    const wire = open()
    await wire.close()
    await wire.close()
  })
}

function acrossProcesses(open: () => Wire, program: string): void {
  const run = async (text: string) => {
    const child = spawn(process.execPath, ['--input-type=module', '-e', `const wire = ${program}\n${text}`], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  }

  it('is rung by another process, which ends by itself though it does not close its wire', async () => {
    const heard = hear()
    await open().listen(['quinn'], heard.onRing)
    await run(`await wire.ring(['quinn'])`)
    expect(await heard.fired).toBe('quinn')
  })

  it('keeps no process alive whose listeners are closed', async () => {
    await run(`const listener = await wire.listen(['quinn', '@all'], () => {})
      await wire.ring(['quinn'])
      await wire.health()
      await listener.close()`)
  })

  it('keeps no process alive once it is closed', async () => {
    await run(`await wire.listen(['quinn'], () => {})
      await wire.close()`)
  })
}

function outliving(open: () => Wire, engine: Engine): void {
  it('rings every name when its connections were cut, and is heard again', async () => {
    verifies('wires.reconnect')
    const wire = open()
    const [quinn, riley] = [hear(), hear()]
    await wire.listen(['quinn', '@all'], quinn.onRing)
    await wire.listen(['riley'], riley.onRing)
    engine.cut()
    await Promise.all([quinn.times(2), riley.times(1)])
    expect([new Set(quinn.values), new Set(riley.values)]).toEqual([new Set(['quinn', '@all']), new Set(['riley'])])
    await expect.poll(() => didRing(wire, 'riley'), PATIENT).toBe(true)
    await riley.times(2)
  })

  it('fails to ring while its server is down, says so, and rings every name when that is back', async () => {
    verifies('wires.reconnect', 'wires.health')
    const wire = open()
    const [before, meanwhile, closed] = [hear(), hear(), hear()]
    await wire.listen(['quinn', '@all'], before.onRing)
    await (await wire.listen(['riley'], closed.onRing)).close()
    await wire.ring(['nobody'])
    await engine.stop()
    await expect.poll(() => wire.health(), PATIENT).toMatchObject({ isUp: false })
    await expect((async () => wire.ring(['quinn']))()).rejects.toThrow()
    const listening = wire.listen(['morgan'], meanwhile.onRing)
    await engine.start()
    await before.times(2)
    await listening
    await expect.poll(() => didRing(wire, 'morgan'), PATIENT).toBe(true)
    expect(await meanwhile.fired).toBe('morgan')
    expect(new Set(before.values)).toEqual(new Set(['quinn', '@all']))
    expect(closed.values).toEqual([])
    await expect.poll(() => wire.health(), PATIENT).toMatchObject({ isUp: true })
  })

  it('begins while its server is down, and rings what listens when that is up', async () => {
    await engine.stop()
    const wire = open()
    const heard = hear()
    const listening = wire.listen(['quinn'], heard.onRing)
    await expect((async () => wire.ring(['quinn']))()).rejects.toThrow()
    expect(await wire.health()).toMatchObject({ isUp: false })
    await engine.start()
    await listening
    await expect.poll(() => didRing(wire, 'quinn'), PATIENT).toBe(true)
    expect(await heard.fired).toBe('quinn')
  })
}

async function didRing(wire: Wire, name: string): Promise<boolean> {
  try {
    await wire.ring([name])
    return true
  } catch {
    return false
  }
}
