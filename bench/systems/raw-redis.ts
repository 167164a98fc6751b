import { createClient } from '@redis/client'
import { openRawSqlite } from './raw-sqlite.ts'
import type { Body, System } from './system.ts'

const CHANNEL = 'raw:agent-0'

/** One commit by hand, then one publication to whoever has subscribed. */
export async function openRawRedis(place: string): Promise<System> {
  const [folder = '', url = ''] = place.split('#')
  const raw = await openRawSqlite(folder)
  const client = createClient({ url })
  await client.connect()
  return {
    ...raw,
    async push(body) {
      raw.push(body)
      await client.publish(CHANNEL, body)
    },
    async listen(onBody) {
      await client.subscribe(CHANNEL, (body) => onBody(JSON.parse(body) as Body))
    },
    async close() {
      raw.close()
      client.destroy()
    },
  }
}
