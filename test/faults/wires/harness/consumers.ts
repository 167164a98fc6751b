import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { ingestSpool, SpoolError } from '../../../../src/host/spool.ts'
import { isSpoolWaiting } from '../../../../src/host/spool-place.ts'
import { openEngineWire } from '../../../../src/host/wires/open-wire.ts'
import type { Postern } from '../../../../src/model/postern.ts'
import { RING_ALL } from '../../../../src/model/ring.ts'
import type { HistoryEvent } from '../../../helpers/history.ts'
import { removeFolder, temporaryFolder } from '../../../helpers/temp.ts'
import { cliCommand, cliEnvironment } from '../../harness/cli.ts'

/** A bug to put in: every so many messages one is shown twice, or is never shown. */
export type Plant = 'drops-some' | 'shows-some-twice'
const EVERY = 20
/** Where a courier brings nothing for so long, the test goes on and finds out what that has cost. */
const LONGEST_HOLD_MS = 20_000

/** Whoever shows an agent its messages, and writes down which. It asks the store only when it has reason to. */
export interface Consumer {
  readonly agent: string
  readonly history: readonly HistoryEvent[]
  /** How many messages it has shown. */
  readonly count: number
  /** Looks at nothing from now on. Absent where there is no spool. */
  hold?(): Promise<void>
  /** Holds, deletes the spool as soon as something stands in it, and goes on. */
  deleteSpool?(): Promise<void>
  /** Kills the courier outright, and starts another one. */
  replaceCourier?(): Promise<void>
}

interface ConsumerOptions {
  readonly agent: string
  readonly postern: Postern
  readonly plant?: Plant | undefined
}

/** Drains an inbox whole and confirms it; what it shows is written down. */
function createScreen({ agent, postern: { inbox }, plant }: ConsumerOptions) {
  const history: HistoryEvent[] = []
  let count = 0
  async function drain(sessionId?: string): Promise<void> {
    for (;;) {
      const drained = await inbox.drain({ agent, via: 'campaign', ...(sessionId !== undefined && { sessionId }) })
      if (!drained.offer) return
      for (const { content, attempt } of drained.messages) {
        const times = ++count % EVERY === 0 && plant ? (plant === 'drops-some' ? 0 : 2) : 1
        for (let i = 0; i < times; i++) history.push({ kind: 'shown', key: content, attempt, by: agent })
      }
      await inbox.confirm({ offerId: drained.offer.id, printed: true, evidence: 'campaign' })
    }
  }
  return { history, drain, count: () => count }
}

/** An agent that waits on the engine alone: no other ring and no clock makes it look. */
export async function startListener(options: ConsumerOptions & { readonly wireUrl: string }): Promise<Consumer> {
  const { agent, wireUrl } = options
  const screen = createScreen(options)
  const wire = await openEngineWire(wireUrl)
  let isRung = false
  let isDraining = false
  let draining: Promise<void> = Promise.resolve()
  const look = () => {
    isRung = true
    if (!isDraining) draining = drainWhileRung()
  }
  async function drainWhileRung(): Promise<void> {
    isDraining = true
    while (isRung) {
      isRung = false
      await screen.drain()
    }
    isDraining = false
  }
  await wire.listen([agent, RING_ALL], look)
  look()
  onTestFinished(async () => {
    await wire.close()
    await draining
  })
  return {
    agent,
    history: screen.history,
    get count() {
      return screen.count()
    },
  }
}

export interface CourierOptions extends ConsumerOptions {
  /** Where the courier asks: a server, or the store itself. */
  readonly source: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly wireUrl: string
}

/** An agent in a host: a courier fills its spool, and whatever stands there makes its hook drain. */
export async function startSpoolReader(options: CourierOptions): Promise<Consumer> {
  const { agent, postern } = options
  const screen = createScreen(options)
  const root = temporaryFolder()
  const sessionId = `ses-${agent}`
  await postern.sessions.begin({ id: sessionId, agent, host: 'generic', project: root })
  let courier = await startCourier(options, { root, sessionId })
  let isHeld = false
  let isOver = false
  let isReading = false
  async function read(): Promise<void> {
    isReading = true
    await ingestSpool(postern, { agent, sessionId, root }).catch(passOverSpool)
    await screen.drain(sessionId)
    isReading = false
  }
  const reading = (async () => {
    while (!isOver) {
      if (!isHeld && isSpoolWaiting({ root, sessionId })) await read()
      await delay(10)
    }
  })()
  // What is drained meanwhile never stands in the spool.
  async function hold(): Promise<void> {
    isHeld = true
    while (isReading) await delay(5)
  }
  onTestFinished(async () => {
    isOver = true
    await reading
  })
  return {
    agent,
    history: screen.history,
    get count() {
      return screen.count()
    },
    hold,
    async deleteSpool() {
      await hold()
      const heldUntil = performance.now() + LONGEST_HOLD_MS
      while (!isSpoolWaiting({ root, sessionId }) && performance.now() < heldUntil) await delay(5)
      removeFolder(join(root, '.runtime'))
      isHeld = false
    },
    async replaceCourier() {
      await end(courier, 'SIGKILL')
      courier = await startCourier(options, { root, sessionId })
    },
  }
}

/** The folder may be deleted under whoever reads it. */
function passOverSpool(error: unknown): void {
  if (!(error instanceof SpoolError)) throw error
}

async function startCourier(
  { agent, source, env, wireUrl }: CourierOptions,
  { root, sessionId }: { readonly root: string; readonly sessionId: string },
): Promise<ChildProcess> {
  const home = join(temporaryFolder(), 'home')
  mkdirSync(home, { mode: 0o700 })
  const words = [
    'courier',
    '--agent',
    agent,
    '--session',
    sessionId,
    '--root',
    root,
    '--wire',
    wireUrl,
    ...source,
    '--json',
  ]
  const [command = '', ...args] = cliCommand(words)
  const child = spawn(command, args, { env: cliEnvironment(home, env), stdio: ['ignore', 'pipe', 'pipe'], cwd: home })
  let said = ''
  child.stderr.on('data', (piece) => {
    said += piece
  })
  onTestFinished(() => end(child, 'SIGTERM'))
  const exited = once(child, 'exit').then(() => false)
  const isReady = await Promise.race([once(child.stdout, 'data').then(() => true), exited])
  if (!isReady) throw new Error(`the courier of ${agent} did not start: ${said}`)
  child.stdout.resume()
  return child
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}
