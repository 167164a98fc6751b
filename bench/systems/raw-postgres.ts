import { Client } from 'pg'
import type { Body, System } from './system.ts'

const CHANNEL = 'inbox'
const RECIPIENT = 'agent-0'

const TABLE = `CREATE TABLE IF NOT EXISTS inbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid NOT NULL DEFAULT gen_random_uuid(), recipient text NOT NULL,
  sender text NOT NULL, priority int NOT NULL, body text NOT NULL, dedup_key text UNIQUE, delivered_at timestamptz);
  CREATE INDEX IF NOT EXISTS inbox_pending ON inbox (recipient, priority, seq) WHERE delivered_at IS NULL`

/** One INSERT into an inbox as somebody would write it by hand. With `notify` it also rings. */
export function openRawPostgres(notify: boolean): (url: string) => Promise<System> {
  const ringing = (insert: string) =>
    notify
      ? `WITH stored AS (${insert} RETURNING seq) SELECT pg_notify('${CHANNEL}', max(seq)::text) FROM stored`
      : insert
  const one = ringing(`${INSERT} VALUES ($1, 'local', 2, $2) ON CONFLICT DO NOTHING`)
  const many = ringing(`${INSERT} SELECT $1, 'local', 2, unnest($2::text[]) ON CONFLICT DO NOTHING`)
  return async (url) => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(TABLE)
    const take = async (count: number): Promise<Body[]> => {
      const { rows } = await client.query({ name: 'take', text: TAKE, values: [RECIPIENT, count] })
      return rows.map(({ body }: { body: string }) => JSON.parse(body) as Body)
    }
    return {
      push: (body) => client.query({ name: 'push', text: one, values: [RECIPIENT, body] }),
      pushMany: (bodies) => client.query({ name: 'push-many', text: many, values: [RECIPIENT, bodies] }),
      drain: async (count) => (await take(count)).length,
      async listen(onBody) {
        client.on('notification', async () => {
          for (const body of await take(20)) onBody(body)
        })
        await client.query(`LISTEN ${CHANNEL}`)
      },
      close: () => client.end(),
    }
  }
}

const INSERT = 'INSERT INTO inbox (recipient, sender, priority, body)'

const TAKE = `UPDATE inbox SET delivered_at = now() WHERE seq IN (SELECT seq FROM inbox
  WHERE recipient = $1 AND delivered_at IS NULL ORDER BY priority, seq LIMIT $2 FOR UPDATE SKIP LOCKED) RETURNING body`
