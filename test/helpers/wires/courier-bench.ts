import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { Courier, type CourierParams } from '../../../src/courier/courier.ts'
import { ingestSpool } from '../../../src/host/spool.ts'
import { machineName } from '../../../src/kit/node/processes.ts'
import { DEFAULT_LIMITS } from '../../../src/model/limits.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { formatSpoolCopy } from '../../../src/spool/message-copy.ts'
import { spoolPath } from '../../../src/spool/path.ts'
import { createDoorbell } from '../../../src/wires/local/doorbell.ts'
import type { OnCopy } from '../../../src/wires/wire.ts'
import { openLocal } from '../open-local.ts'
import { fastFolder } from '../temp.ts'

export interface Bench {
  readonly postern: Postern
  readonly root: string
  readonly woken: number[]
  readonly noted: string[]
  /** Whether the store can be reached. */
  store: { isAway: boolean }
  start(more?: Partial<CourierParams>): Courier
  /** A courier that takes copies, and how they are handed to it. */
  startTaking(more?: Partial<CourierParams>): Promise<{ readonly courier: Courier; readonly hand: OnCopy }>
  push(content: string): Promise<string>
  copyOf(id: string): Promise<string>
  note(event: string): Promise<unknown>
  spooled(sessionId?: string): string[]
}

/** A real store with the agent quinn and its session s, rung by a real doorbell. */
export async function makeBench(): Promise<Bench> {
  const folder = fastFolder()
  const root = join(folder, 'project')
  mkdirSync(root)
  const postern = await openLocal(join(folder, 'postern.db'), { upkeep: false })
  const wire = createDoorbell({ folder: join(folder, 'bells') })
  onTestFinished(async () => {
    wire.close()
    await postern.close()
  })
  await postern.agents.add({ id: 'quinn' })
  const [woken, noted, store] = [[] as number[], [] as string[], { isAway: false }]
  const note = (event: string) =>
    postern.sessions.note({ id: 's', agent: 'quinn', host: 'claude-code', event, project: root, pid: process.pid })
  await note('session.start')

  function start(more: Partial<CourierParams> = {}): Courier {
    const courier = new Courier({
      agent: 'quinn',
      sessionId: undefined,
      root: undefined,
      workingRoot: root,
      machine: machineName(),
      async reach() {
        if (store.isAway) throw new Error('the store is away')
        return postern
      },
      ingestSpool,
      wire,
      wake: () => void woken.push(Date.now()),
      contentBytes: DEFAULT_LIMITS.contentBytes,
      heartbeatMs: 600_000,
      note: (event, fields) => void noted.push([event, ...Object.values(fields)].join(' ')),
      now: Date.now,
      random: Math.random,
      ...more,
    })
    onTestFinished(() => courier.close())
    return courier
  }

  return {
    postern,
    root,
    woken,
    noted,
    store,
    start,
    note,
    async startTaking(more) {
      const { promise, resolve } = Promise.withResolvers<OnCopy>()
      const take = async (_: string, onCopy: OnCopy) => {
        resolve(onCopy)
        return { close() {} }
      }
      const courier = start({ wire: { ...wire, take }, ...more })
      await courier.started
      return { courier, hand: await promise }
    },
    push: async (content) => (await postern.inbox.push({ to: ['quinn'], content })).id,
    copyOf: async (id) => formatSpoolCopy((await postern.inbox.show({ id })).message),
    spooled(sessionId = 's') {
      const path = spoolPath(root, sessionId)
      if (!existsSync(path)) return []
      const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean)
      return lines.map((line) => JSON.parse(line).content)
    },
  }
}

export const settle = async ({ postern }: Bench) => {
  const drained = await postern.inbox.drain({ agent: 'quinn', sessionId: 's' })
  const offerId = drained.offer?.id ?? ''
  await postern.inbox.confirm({ offerId, evidence: 'shown', printed: true })
}
