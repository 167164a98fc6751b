import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../../../src/host/config/config.ts'
import { openServed } from '../../../src/host/serving/serve.ts'
import type { Postern } from '../../../src/model/postern.ts'
import { createEventStreams } from '../../../src/server/events/streams.ts'
import { createLog } from '../../../src/server/log.ts'
import { createServer } from '../../../src/server/server.ts'

/** A server on a home, which writes its URL on stdout: run by Node itself, not by vitest. */
const { values } = parseArgs({
  options: {
    home: { type: 'string', default: '' },
    port: { type: 'string', default: '0' },
    token: { type: 'string', default: '' },
    beatMs: { type: 'string', default: '15000' },
    /** A planted bug: `drop-one`, `one-too-late` or `never-full`. */
    plant: { type: 'string' },
  },
})
const { home, plant } = values
/** How often the server looks how much waits for its slowest client. */
const SAMPLE_MS = 20

const log = createLog((line) => process.stderr.write(`${line}\n`))
const served = await openServed(readConfig({ flags: { home }, env: {}, cwd: home }), {
  bus: { root: join(home, 'run-agent') },
})
await served.credentials.adopt(values.token, 'of the test')
const streams = createEventStreams({
  postern: plant === 'drop-one' ? dropping(served.postern) : served.postern,
  log,
  beatMs: Number(values.beatMs),
})
const { credentials, answerOnce, under, counts, check } = served
const postern = plant === 'one-too-late' ? resumingLate(served.postern) : served.postern
const queues = new Set<ServerResponse>()
let mostQueuedBytes = 0
const openEventStream: typeof streams.open = (streaming) => {
  observeQueue(streaming.response)
  return streams.open(streaming)
}
const openBusStream: typeof streams.openBus = (streaming, params) => {
  observeQueue(streaming.response)
  return streams.openBus(streaming, params)
}
const sampling = setInterval(() => {
  for (const { socket } of queues) mostQueuedBytes = Math.max(mostQueuedBytes, socket?.writableLength ?? 0)
}, SAMPLE_MS)
sampling.unref()
process.on('message', () => process.send?.(mostQueuedBytes))
process.channel?.unref()
const server = createServer({
  postern,
  credentials,
  answerOnce,
  under,
  counts,
  check,
  log,
  openEventStream,
  openBusStream,
})
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: Number(values.port) })}\n`)

function observeQueue(response: ServerResponse): void {
  queues.add(response)
  response.once('close', () => queues.delete(response))
  if (plant === 'never-full') hideQueue(response)
}

/** The stream sees every client as one that has taken all it was sent. */
function hideQueue(response: ServerResponse): void {
  const write = response.write.bind(response) as (bytes: Buffer) => boolean
  Object.defineProperty(response, 'writableLength', { value: 0 })
  response.write = ((bytes: Buffer, onTaken: () => void) => {
    const isRoom = write(bytes)
    onTaken()
    return isRoom
  }) as typeof response.write
}

/** What the hub reads lacks one event in fifty. */
function dropping(whole: Postern): Postern {
  let count = 0
  return {
    ...whole,
    events: {
      ...whole.events,
      async wait(input) {
        const page = await whole.events.wait(input)
        return { ...page, items: page.items.filter(() => ++count % 50 !== 0) }
      },
    },
  }
}

/** Whoever comes back to a bus is not told the first entry that came meanwhile, unless it is the last of all. */
function resumingLate(whole: Postern): Postern {
  return {
    ...whole,
    as: (caller) => resumingLate(whole.as(caller)),
    bus: {
      ...whole.bus,
      async wait(input) {
        const page = await whole.bus.wait(input)
        return { ...page, items: page.items.filter(({ body }, at) => at > 0 || body === 'the end') }
      },
    },
  }
}
