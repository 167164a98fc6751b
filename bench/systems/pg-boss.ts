import { importPeer } from '../peers.ts'
import type { Body, System } from './system.ts'

interface Job {
  readonly id: string
  readonly data: { readonly body: string }
}

interface Boss {
  on(event: 'error', handle: (error: unknown) => void): void
  start(): Promise<unknown>
  createQueue(name: string, options: object): Promise<void>
  send(name: string, data: Job['data']): Promise<unknown>
  insert(name: string, jobs: readonly { data: Job['data'] }[]): Promise<unknown>
  fetch(name: string, options: { batchSize: number }): Promise<Job[]>
  complete(name: string, ids: readonly string[]): Promise<unknown>
  work(name: string, options: object, handle: (jobs: readonly Job[]) => Promise<void>): Promise<unknown>
  stop(options: object): Promise<void>
}

const QUEUE = 'inbox'
const FETCH = 1_000

/** With `notify`, workers are rung; without, as by default, they poll. */
export function openPgBoss(notify: boolean): (url: string) => Promise<System> {
  return (url) => open(url, notify)
}

async function open(url: string, notify: boolean): Promise<System> {
  const { PgBoss } = await importPeer<{ PgBoss: new (options: object) => Boss }>('pg-boss')
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false, useListenNotify: notify })
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(QUEUE, { notify })
  return {
    push: (body) => boss.send(QUEUE, { body }),
    pushMany: (bodies) =>
      boss.insert(
        QUEUE,
        bodies.map((body) => ({ data: { body } })),
      ),
    async drain(count) {
      let taken = 0
      while (taken < count) {
        const jobs = await boss.fetch(QUEUE, { batchSize: Math.min(FETCH, count - taken) })
        if (jobs.length === 0) break
        for (const { data } of jobs) JSON.parse(data.body)
        await boss.complete(
          QUEUE,
          jobs.map(({ id }) => id),
        )
        taken += jobs.length
      }
      return taken
    },
    async listen(onBody) {
      await boss.work(QUEUE, { pollingIntervalSeconds: 2 }, async (jobs) => {
        for (const { data } of jobs) onBody(JSON.parse(data.body) as Body)
      })
    },
    close: () => boss.stop({ graceful: false, wait: false }),
  }
}
