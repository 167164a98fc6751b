import { Requests } from '../requests.ts'
import type { Served } from '../servers.ts'
import { makeBody } from '../systems/system.ts'
import type { Errand, FloodOrder, FloodReport } from './messages.ts'

/** A client process that keeps so many pushes under way at a server. */
const { place } = JSON.parse(process.argv[2]!) as Errand
const { origin, hash } = new URL(place)
const served: Pick<Served, 'url' | 'token'> = { url: origin, token: hash.slice(1) }

process.on('message', async ({ inFlight, forMs, agents }: FloodOrder) => {
  const requests = new Requests(served as Served, inFlight)
  const endsAt = performance.now() + forMs
  let done = 0
  const lane = async () => {
    while (performance.now() < endsAt) {
      const to = [`agent-${Math.floor(Math.random() * agents)}`]
      const status = await requests.post('/api/v1/inbox', { to, content: makeBody() })
      if (status >= 300) throw new Error(`the server answered with ${status}`)
      done++
    }
  }
  await Promise.all(Array.from({ length: inFlight }, lane))
  requests.close()
  process.send!({ done } satisfies FloodReport)
})
process.on('disconnect', () => process.exit())
process.send!({})
