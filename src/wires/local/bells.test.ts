import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, utimesSync, watch } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DEAD_MACHINE_MS } from '../../../test/helpers/patience.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { temporaryFolder } from '../../../test/helpers/temp.ts'
import { type WatchFile, watchByPolling } from './bell.ts'
import { createBells } from './bells.ts'

/** Watches nothing, and remembers what it was asked for. */
function counting({ isPolling = false, lingerMs = 60_000 } = {}) {
  const open = new Set<string>()
  let opened = 0
  const watchNothing: WatchFile = (path) => {
    opened++
    open.add(path)
    return { isPolling, ref() {}, unref() {}, close: () => void open.delete(path) }
  }
  const bells = createBells(watchNothing, lingerMs)
  onTestFinished(() => bells.close())
  return { bells, open, opened: () => opened }
}

describe('a bell that nobody listens to any more', () => {
  it('stays for whoever listens again', () => {
    const { bells, open, opened } = counting()
    const path = join(temporaryFolder(), 'quinn')
    bells.hear(path, () => {})()
    bells.hear(path, () => {})()
    expect(opened()).toBe(1)
    bells.close()
    expect([...open]).toEqual([])
  })

  it('is taken down after a while, but not while somebody listens again', async () => {
    const { bells, open } = counting({ lingerMs: 5 })
    const path = join(temporaryFolder(), 'quinn')
    bells.hear(path, () => {})()
    const leave = bells.hear(path, () => {})
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect([...open]).toEqual([path])
    leave()
    await expect.poll(() => [...open]).toEqual([])
  })

  it('goes at once where it only polls, because the kernel may have watches again', () => {
    const { bells, open, opened } = counting({ isPolling: true })
    const path = join(temporaryFolder(), 'quinn')
    bells.hear(path, () => {})()
    expect([...open]).toEqual([])
    bells.hear(path, () => {})
    expect(opened()).toBe(2)
  })

  it('does not make anew what was removed meanwhile, until somebody listens again', async () => {
    const folder = join(temporaryFolder(), 'bells')
    const path = join(folder, 'quinn')
    const bells = createBells()
    onTestFinished(() => bells.close())
    const [gone, heard] = [createSignal(), createSignal()]
    const leave = bells.hear(path, () => {})
    const other = watch(path, () => gone.fire())
    onTestFinished(() => other.close())
    leave()
    rmSync(folder, { recursive: true })
    await gone.fired
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(existsSync(folder)).toBe(false)
    bells.hear(path, heard.fire)
    utimesSync(path, 1, 1)
    await heard.fired
  })

  it('tells those who listened to what is not there any more, when somebody joins them', async () => {
    const folder = join(temporaryFolder(), 'bells')
    const bells = createBells()
    onTestFinished(() => bells.close())
    const told = createSignal()
    bells.hear(join(folder, 'quinn'), told.fire)
    renameSync(folder, `${folder}-old`)
    bells.hear(join(folder, 'quinn'), () => {})
    await told.fired
  })

  it('is not the only one for ever: of very many the oldest are taken down', () => {
    const { bells, open } = counting()
    const folder = temporaryFolder()
    for (let i = 0; i < 100; i++) bells.hear(join(folder, `agent-${i}`), () => {})()
    expect([...open].map((path) => path.slice(folder.length))).toEqual(
      Array.from({ length: 32 }, (_, i) => `/agent-${68 + i}`),
    )
  })

  it('hears again though its folder was moved away meanwhile', async () => {
    const folder = join(temporaryFolder(), 'bells')
    const bells = createBells()
    onTestFinished(() => bells.close())
    bells.hear(join(folder, 'quinn'), () => {})()
    renameSync(folder, `${folder}-old`)
    const heard = createSignal()
    bells.hear(join(folder, 'quinn'), heard.fire)
    utimesSync(join(folder, 'quinn'), 1, 1)
    await heard.fired
  })

  it.each([
    ['by the kernel', undefined],
    ['by polling', 'watchByPolling'],
  ])('keeps no process alive (%s)', (_, watch) => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'bells'))
    const script = `
      import { watchByPolling } from '${new URL('./bell.ts', import.meta.url).href}'
      import { createBells } from '${new URL('./bells.ts', import.meta.url).href}'
      createBells(${watch ?? ''}).hear('${join(folder, 'bells', 'quinn')}', () => {})()`
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { timeout: DEAD_MACHINE_MS })
    expect(existsSync(join(folder, 'bells', 'quinn'))).toBe(true)
  })
})

it('tells everybody who listens to the same bell', async () => {
  const bells = createBells(watchByPolling)
  onTestFinished(() => bells.close())
  const path = join(temporaryFolder(), 'quinn')
  const ears = [createSignal(), createSignal()]
  for (const ear of ears) bells.hear(path, ear.fire)
  utimesSync(path, 1, 1)
  await Promise.all(ears.map((ear) => ear.fired))
})
