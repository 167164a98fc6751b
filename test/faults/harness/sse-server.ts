import { parseArgs } from 'node:util'
import { readConfig } from '../../../src/host/config.ts'
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
    /** A bug to put in: `drop-one`. */
    plant: { type: 'string' },
  },
})
const { home, plant } = values

const log = createLog((line) => process.stderr.write(`${line}\n`))
const served = await openServed(readConfig({ flags: { home }, env: {}, cwd: home }), {})
await served.credentials.adopt(values.token, 'of the test')
const streams = createEventStreams({
  postern: plant === 'drop-one' ? dropping(served.postern) : served.postern,
  log,
  beatMs: Number(values.beatMs),
})
const { postern, credentials, replies, counts, check } = served
const server = createServer({ postern, credentials, replies, counts, check, log, openEventStream: streams.open })
process.stdout.write(`${await server.listen({ host: '127.0.0.1', port: Number(values.port) })}\n`)

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
