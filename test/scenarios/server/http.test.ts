import { describe, expect, it } from 'vitest'
import { startServe } from '../../helpers/http-server.ts'
import { fastFolder } from '../../helpers/temp.ts'
import { verifies } from '../verifies.ts'

describe('a request that is sent again', () => {
  it('is done once and answered alike, though the server was killed in between', async () => {
    verifies('S001.idempotency')
    const home = fastFolder()
    const first = await startServe({ home })
    await first.ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    const gate = { headers: { 'idempotency-key': 'gate-1' }, body: { agent: 'quinn', kind: 'human', reason: 'look' } }
    const push = { headers: { 'idempotency-key': 'push-1' }, body: { to: ['quinn'], content: 'hello' } }
    const made = await first.ask('POST /api/v1/gates', gate)
    const pushed = await first.ask('POST /api/v1/inbox', push)
    await first.stop('SIGKILL')

    const second = await startServe({ home })
    expect(await second.ask('POST /api/v1/gates', gate)).toMatchObject({ status: 201, body: made.body })
    expect((await second.ask('POST /api/v1/inbox', push)).body).toMatchObject({ id: pushed.body.id, duplicate: true })
    expect((await second.ask('GET /api/v1/gates')).body).toHaveLength(1)
    const other = { ...gate, body: { ...gate.body, reason: 'another' } }
    expect(await second.ask('POST /api/v1/gates', other)).toMatchObject({
      status: 422,
      body: { code: 'IDEMPOTENCY_CONFLICT' },
    })
  })
})

describe('a change that is tied to what was seen', () => {
  it('is refused where somebody was faster', async () => {
    verifies('S001.etag')
    const { ask } = await startServe({ home: fastFolder() })
    await ask('POST /api/v1/agents', { body: { id: 'quinn' } })
    const plans = [{ agent: 'quinn', name: 'weekly', instruction: 'report', cron: '0 9 * * 1', zone: 'Europe/Berlin' }]
    const [plan] = (await ask('PUT /api/v1/plans', { body: { plans } })).body
    const path = `/api/v1/plans/${plan.id}`
    const seen = await ask(`GET ${path}`)
    const tied = { headers: { 'if-match': String(seen.headers['etag']) } }
    expect(await ask(`GET ${path}`, { headers: { 'if-none-match': String(seen.headers['etag']) } })).toMatchObject({
      status: 304,
    })
    await ask('PUT /api/v1/plans', { body: { plans: [{ ...plans[0], instruction: 'report at once' }] } })
    expect(await ask(`POST ${path}/pause`, tied)).toMatchObject({ status: 412, body: { code: 'ETAG_MISMATCH' } })
    expect((await ask(`GET ${path}`)).body.pausedAt).toBeNull()
  })
})
