import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/helpers/postgres.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import type { Wire } from '../wire.ts'
import { createNotifyWire, type NotifyOptions } from './notify.ts'

let server: PostgresServer
let url: string
let admin: Client

beforeAll(async () => {
  server = (await startPostgres()) as PostgresServer
  url = server.adminUrl
  admin = new Client({ connectionString: url })
  admin.on('error', () => {})
  await admin.connect()
})
afterAll(async () => {
  await admin.end()
  await server.stop()
})

function createWire(options: Partial<NotifyOptions> = {}): Wire {
  const wire = createNotifyWire({ url, ...options })
  onTestFinished(async () => wire.close())
  return wire
}

const killListeners = () =>
  admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'postern listen'`)

const listeners = async () =>
  Number(
    (await admin.query(`SELECT count(*) FROM pg_stat_activity WHERE application_name = 'postern listen'`)).rows[0]
      .count,
  )

describe('the NOTIFY wire', () => {
  it('leaves to the store what the store rings', async () => {
    const wire = createWire({ storeRings: true })
    const rung = createSignal<readonly string[]>()
    await wire.listen(['quinn', '@all', '@receipts'], rung.fire)
    await wire.ring(['quinn', '@all', '@receipts'])
    expect(await rung.fired).toEqual(['@receipts'])
    await admin.query(`SELECT pg_notify('postern_ring', 'quinn')`)
    await rung.times(2)
    expect(rung.values).toEqual([['@receipts'], ['quinn']])
  })

  it('rings those who follow events with whatever is rung, and sends nothing for them alone', async () => {
    const wire = createWire()
    const [follower, all] = [createSignal<readonly string[]>(), createSignal<readonly string[]>()]
    await wire.listen(['@events'], follower.fire)
    await wire.listen(['quinn'], all.fire)
    await wire.ring(['@events'])
    await wire.ring(['quinn', '@events'])
    expect(await follower.fired).toEqual(['@events'])
    await all.fired
    expect([follower.values, all.values]).toEqual([[['@events']], [['quinn']]])
  })

  it('rings every name when a lost connection is back', async () => {
    const wire = createWire({ random: () => 0 })
    const [quinn, riley] = [createSignal<readonly string[]>(), createSignal<readonly string[]>()]
    await wire.listen(['quinn', '@all'], quinn.fire)
    await wire.listen(['riley'], riley.fire)
    await killListeners()
    expect(await quinn.fired).toEqual(['quinn', '@all'])
    expect(await riley.fired).toEqual(['riley'])
    await wire.ring(['riley'])
    await riley.times(2)
  })

  it('shares one connection among its listeners, and opens none before the first', async () => {
    await killListeners()
    const wire = createWire()
    await wire.ring(['quinn'])
    const before = await listeners()
    const opened = await Promise.all(['a', 'b', 'c'].map((name) => wire.listen([name], () => {})))
    expect(await listeners()).toBe(before + 1)
    for (const listener of opened) await listener.close()
    await wire.listen(['d'], () => {})
    expect(await listeners()).toBe(before + 1)
  })

  it('refuses what is no name, and rings no more once closed', async () => {
    const wire = createWire()
    expect(() => wire.ring([`x'; DROP TABLE agents; --`])).toThrow(RangeError)
    await wire.close()
    await wire.close()
    await expect(wire.ring(['quinn'])).rejects.toThrow('closed')
    expect(wire.lastRungAt('quinn')).toBeUndefined()
  })

  it('rejects a ring that could not be sent', async () => {
    const wire = createWire({ url: 'postgres://nobody@127.0.0.1:1/x' })
    await expect(wire.ring(['quinn'])).rejects.toThrow()
  })
})
