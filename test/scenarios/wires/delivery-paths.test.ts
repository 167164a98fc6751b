import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { AckPolicy, DeliverPolicy, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import '../../helpers/global-postgres.ts'
import type { PushResult } from '../../../src/model/postern.ts'
import { askCli } from '../../faults/harness/cli.ts'
import { deliveryOf, fire, idsIn } from '../../faults/harness/hook.ts'
import { needsPostgres, needsPrograms } from '../../helpers/needs.ts'
import { PATIENTLY } from '../../helpers/patience.ts'
import { startAckCutter } from '../../helpers/wires/ack-cutter.ts'
import { type NatsServer, startNats } from '../../helpers/wires/nats.ts'
import { startNudgedAgent } from '../../helpers/wires/nudged.ts'
import { makeCluster } from '../../helpers/wires/pod.ts'
import { makeFastPlace } from '../place.ts'
import { verifies } from '../verifies.ts'

const START = { fields: { source: 'startup' } }
/** Where no server answers. */
const NOWHERE = { env: { POSTERN_STORE: 'postgres://postgres@127.0.0.1:1/none' } }

const adminUrl = inject('postgresUrl')
const SERVERS = { ...needsPostgres(adminUrl), ...needsPrograms('nats-server') }

/** A server of the test's own, so that no stream holds what another test has sent. */
async function openNats(): Promise<NatsServer> {
  const nats = (await startNats()) as NatsServer
  onTestFinished(() => nats.stop())
  return nats
}

describe('local, with neither NATS nor courier', () => {
  it('what is pushed is shown by the next hook, and by the next session start', async () => {
    verifies('S000.path.local')
    const place = await makeFastPlace()
    const push = async (text: string) =>
      (await askCli<PushResult>(place.home, ['inbox', 'push', '--to', 'quinn', text])).id
    await fire(place, 'SessionStart', START)
    const first = await push('CI build failed on main')
    expect(idsIn(await fire(place, 'UserPromptSubmit'))).toEqual([first])
    expect((await fire(place, 'UserPromptSubmit')).stdout).toBe('')
    const second = await push('and again')
    expect(idsIn(await fire(place, 'SessionStart', { ...START, session: 'ses-2' }))).toEqual([second])
    expect(await deliveryOf(place, first)).toMatchObject({ state: 'seen', attempt: 1 })
  })
})

describe('with PostgreSQL, a server, NATS and a courier', SERVERS, () => {
  it('push → store → NATS → courier → spool → nudge → hook, once', async () => {
    verifies('S000.path.nats', 'S000.courier.nudge')
    const { url } = await openNats()
    const { pod, push, spooled, stateOf, startCourier } = await makeCluster(adminUrl, '--wire', url)
    const agent = await startNudgedAgent()
    await fire(pod, 'SessionStart', START)
    const before = await push('--to', 'quinn', 'sent before anybody listened')
    const courier = await startCourier('--wire', url, '--nudge', agent.url)
    await expect.poll(() => spooled().length, PATIENTLY).toBe(1)
    expect(idsIn(await fire(pod, 'UserPromptSubmit'))).toEqual([before])

    // It works: what comes waits for the next hook.
    const nudged = agent.nudges.length
    const words = ['--type=decision', '--dedup-key=decision:hq-abc123', '--ttl=10m', '--to', 'quinn']
    const id = await push(...words, 'Decision X resolved: Y')
    await expect
      .poll(() => spooled().map((line) => JSON.parse(line)), PATIENTLY)
      .toMatchObject([
        {
          id,
          type: 'decision',
          content: 'Decision X resolved: Y',
          priority: 2,
          timestamp: expect.any(Number),
          dedup_key: 'decision:hq-abc123',
          ttl_seconds: 600,
        },
      ])
    expect(agent.nudges).toHaveLength(nudged)
    expect(idsIn(await fire(pod, 'Stop'))).toEqual([id])
    expect(spooled()).toEqual([])
    expect((await fire(pod, 'Stop')).stdout).toBe('')

    // It rests: it is nudged, and the turn that this begins shows it.
    const later = await push('--broadcast', 'Maintenance in 10 minutes')
    await expect.poll(() => agent.nudges.length, PATIENTLY).toBeGreaterThan(nudged)
    expect(agent.nudges.at(-1)).toMatch(/^\w{32,}$/)
    expect(idsIn(await fire(pod, 'UserPromptSubmit'))).toEqual([later])
    expect((await fire(pod, 'UserPromptSubmit')).stdout).toBe('')
    for (const each of [before, id, later]) expect(await stateOf(each)).toBe('seen')
    await expect.poll(() => unacked(url), PATIENTLY).toBe(0)
    expect(await courier.stop()).toBe(0)
  })

  it('a courier that is killed between its write and its acknowledgement shows nothing twice', async () => {
    verifies('S000.courier.killed')
    const { port, url } = await openNats()
    const { pod, push, spooled, stateOf, startCourier } = await makeCluster(adminUrl, '--wire', url)
    await fire(pod, 'SessionStart', START)
    await forgetAcksSoon(url)
    const cutter = await startAckCutter(port)
    const first = await startCourier('--wire', cutter.url)
    cutter.onFirstAck(() => void first.child.kill('SIGKILL'))
    const id = await push('--to', 'quinn', 'written and not acknowledged')
    await expect.poll(() => first.child.signalCode, PATIENTLY).toBe('SIGKILL')
    expect(spooled().map((line) => JSON.parse(line).id)).toEqual([id])

    // The next one finds it in the spool.
    const second = await startCourier('--wire', url)
    await expect.poll(() => unacked(url), PATIENTLY).toBe(0)
    expect(spooled().map((line) => JSON.parse(line).id)).toEqual([id])
    await second.stop('SIGKILL')
    expect(idsIn(await fire(pod, 'UserPromptSubmit'))).toEqual([id])
    expect((await fire(pod, 'UserPromptSubmit')).stdout).toBe('')
    expect(await stateOf(id)).toBe('seen')
  })

  it('what comes again after it was seen is not shown again, though all that NATS keeps is replayed', async () => {
    verifies('S000.courier.killed')
    const { url } = await openNats()
    const { pod, push, spooled, startCourier } = await makeCluster(adminUrl, '--wire', url)
    await fire(pod, 'SessionStart', START)
    const id = await push('--to', 'quinn', 'seen before the courier came')
    expect(idsIn(await fire(pod, 'UserPromptSubmit'))).toEqual([id])
    await fire(pod, 'UserPromptSubmit')
    const courier = await startCourier('--wire', url)
    await forget(url)
    const next = await push('--to', 'quinn', 'another')
    await expect.poll(() => spooled().map((line) => JSON.parse(line).id), PATIENTLY).toEqual([next])
    await expect.poll(() => unacked(url), PATIENTLY).toBe(0)
    expect(spooled()).toHaveLength(1)
    await courier.stop()
  })

  it('a spool that is deleted loses nothing', async () => {
    verifies('S000.courier.spool-deleted')
    const { url } = await openNats()
    const { pod, push, spooled, startCourier } = await makeCluster(adminUrl, '--wire', url)
    await fire(pod, 'SessionStart', START)
    await startCourier('--wire', url)
    const first = await push('--to', 'quinn', 'deleted with its spool')
    await expect.poll(() => spooled().length, PATIENTLY).toBe(1)
    rmSync(join(pod.project, '.runtime'), { recursive: true })
    const second = await push('--to', 'quinn', 'sent after that')
    await expect.poll(() => spooled().map((line) => JSON.parse(line).id), PATIENTLY).toEqual([first, second])
    expect(idsIn(await fire(pod, 'UserPromptSubmit'))).toEqual([first, second])
    expect((await fire(pod, 'UserPromptSubmit')).stdout).toBe('')
  })

  it('while the store cannot be reached the copies are shown, and not again when it is back', async () => {
    verifies('S000.courier.store-away')
    const { url } = await openNats()
    const { pod, push, spooled, stateOf, startCourier } = await makeCluster(adminUrl, '--wire', url)
    await fire(pod, 'SessionStart', START)
    await startCourier('--wire', url)
    const id = await push('--to', 'quinn', 'shown from its copy')
    await expect.poll(() => spooled().length, PATIENTLY).toBe(1)
    expect(idsIn(await fire(pod, 'UserPromptSubmit', NOWHERE))).toEqual([id])
    expect(idsIn(await fire(pod, 'UserPromptSubmit', NOWHERE))).toEqual([])
    expect((await fire(pod, 'UserPromptSubmit')).stdout).toBe('')
    expect(await stateOf(id)).toBe('seen')
    expect(spooled()).toEqual([])
  })
})

describe('with NATS down', SERVERS, () => {
  it("what is pushed is found by the courier's heartbeat", async () => {
    verifies('S000.path.degraded')
    const down = await openNats()
    const { pod, push, spooled, startCourier } = await makeCluster(adminUrl, '--wire', down.url)
    await fire(pod, 'SessionStart', START)
    await down.halt('SIGKILL')
    await startCourier('--wire', down.url, '--heartbeat', '1s')
    const id = await push('--to', 'quinn', 'nobody rang')
    await expect.poll(() => spooled().map((line) => JSON.parse(line).id), PATIENTLY).toEqual([id])
    expect(idsIn(await fire(pod, 'UserPromptSubmit'))).toEqual([id])
    expect((await fire(pod, 'UserPromptSubmit')).stdout).toBe('')
  })

  it('and without a courier by the next session start', async () => {
    verifies('S000.path.degraded')
    const { pod, push, stateOf } = await makeCluster(adminUrl, '--wire', 'nats://127.0.0.1:1')
    const id = await push('--to', 'quinn', 'nobody rang and nobody brought it')
    expect(idsIn(await fire(pod, 'SessionStart', START))).toEqual([id])
    await fire(pod, 'UserPromptSubmit')
    expect(await stateOf(id)).toBe('seen')
  })
})

type Manager = Awaited<ReturnType<typeof jetstreamManager>>

async function withManager<T>(url: string, call: (manager: Manager) => Promise<T>): Promise<T> {
  const connection = await connect({ servers: url })
  try {
    return await call(await jetstreamManager(connection))
  } finally {
    await connection.close()
  }
}

const CONSUMERS = ['inbox-quinn', 'broadcast-quinn']

/** How many copies quinn's consumers have not acknowledged, or not been given. */
function unacked(url: string): Promise<number> {
  return withManager(url, async (manager) => {
    const infos = await Promise.all(CONSUMERS.map((name) => manager.consumers.info('INBOX_EVENTS', name)))
    return infos.reduce((sum, { num_ack_pending, num_pending }) => sum + num_ack_pending + num_pending, 0)
  })
}

/** A consumer as a foreign program may have made it: what it does not acknowledge comes again after a second. */
async function forgetAcksSoon(url: string): Promise<void> {
  await withManager(url, (manager) =>
    manager.consumers.add('INBOX_EVENTS', {
      durable_name: 'inbox-quinn',
      filter_subject: 'inbox.targeted.quinn',
      deliver_policy: DeliverPolicy.New,
      ack_policy: AckPolicy.Explicit,
      ack_wait: 1_000_000_000,
    }),
  )
}

/** NATS may have removed a consumer by itself when nobody had used it for a while. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Error && error.name === 'ConsumerNotFoundError')) throw error
}

/** The next taker is given everything that is kept. */
async function forget(url: string): Promise<void> {
  await withManager(url, (manager) =>
    Promise.all(CONSUMERS.map((name) => manager.consumers.delete('INBOX_EVENTS', name).catch(ignoreMissing))),
  )
}
