import { once } from 'node:events'
import { request } from 'node:http'
import { expect, it } from 'vitest'
import { openServer } from '../../../test/helpers/http-server.ts'
import { createSignal } from '../../../test/helpers/signal.ts'
import { connectSse } from '../../../test/helpers/sse-client.ts'
import type { Streaming } from '../exchange.ts'
import { SILENT } from '../log.ts'
import { createEventStreams, type EventStreams } from './streams.ts'

const BUS = '/api/projects/p/messages/stream'

/** A server that takes so long to look up what a stream begins with that hasty clients have gone by then. */
async function open() {
  let streams: EventStreams | undefined
  const [came, answered] = [createSignal<void>(), createSignal<void>()]
  const later = async (streaming: Streaming, begin: () => Promise<void> | undefined) => {
    if (streaming.request.headers['x-hasty'] === undefined) return begin()
    came.fire()
    await once(streaming.response, 'close')
    await begin()
    answered.fire()
  }
  const server = await openServer({
    openEventStream: (streaming) => later(streaming, () => streams?.open(streaming)),
    openBusStream: (streaming, params) => later(streaming, () => streams?.openBus(streaming, params)),
  })
  const { postern } = server.served
  streams = createEventStreams({ postern, log: SILENT })
  await postern.agents.add({ id: 'ada' })
  await postern.bus.post({ project_id: 'p', body: 'first' })
  return { ...server, came, answered }
}

it.each([BUS, '/api/v1/events'])('whoever is gone before %s begins has no place there', async (path) => {
  const { url, token, ask, came, answered } = await open()
  const ada = await token('agent:ada')
  const headers = { authorization: `Bearer ${ada}`, accept: 'text/event-stream', 'x-hasty': 'yes' }
  for (let left = 1; left <= 8; left++) {
    const leaving = request(`${url}${path}`, { headers, agent: false }).on('error', () => {})
    leaving.end()
    await expect.poll(() => came.values.length).toBe(left)
    leaving.destroy()
    await expect.poll(() => answered.values.length).toBe(left)
  }
  expect((await ask('GET /metrics')).text).toContain('\npostern_event_streams 0\n')
  const stays = await connectSse(url, { token: ada, path })
  expect(stays.status).toBe(200)
  stays.close()
})
