import { importPeer } from '../peers.ts'
import type { Body, System } from './system.ts'

interface Payload {
  readonly body: string
}

interface Utils {
  migrate(): Promise<void>
  addJob(name: string, payload: Payload): Promise<unknown>
  addJobs(jobs: readonly { identifier: string; payload: Payload }[]): Promise<unknown>
  release(): Promise<void>
}

interface GraphileWorker {
  makeWorkerUtils(options: object): Promise<Utils>
  run(options: object): Promise<{ stop(): Promise<void> }>
  readonly Logger: new (factory: () => () => void) => object
}

const TASK = 'inbox'

export async function openGraphileWorker(url: string): Promise<System> {
  const { makeWorkerUtils, run, Logger } = await importPeer<GraphileWorker>('graphile-worker')
  const logger = new Logger(() => () => {})
  const utils = await makeWorkerUtils({ connectionString: url, logger })
  await utils.migrate()
  const closing: (() => Promise<void>)[] = [() => utils.release()]
  return {
    push: (body) => utils.addJob(TASK, { body }),
    pushMany: (bodies) => utils.addJobs(bodies.map((body) => ({ identifier: TASK, payload: { body } }))),
    async listen(onBody) {
      const taskList = { [TASK]: async ({ body }: Payload) => onBody(JSON.parse(body) as Body) }
      const runner = await run({ connectionString: url, logger, taskList, concurrency: 1, noHandleSignals: true })
      closing.unshift(() => runner.stop())
    },
    async close() {
      for (const close of closing) await close()
    },
  }
}
