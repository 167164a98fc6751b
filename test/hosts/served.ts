import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { inject, onTestFinished } from 'vitest'
import { openLoopback } from './loopback.ts'
import type { Place } from './place.ts'

export interface Served {
  readonly server: ChildProcess
  readonly url: string
}

/** A server of a place's store, in the network that clients see. It ends with the test at the latest. */
export async function serve({ project, env }: Place): Promise<Served> {
  const { enter } = await openLoopback()
  const [command = '', ...words] = [...enter, process.execPath, inject('executable'), 'serve', '--port', '0', '--json']
  const server = spawn(command, words, { cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void server.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: server.stdout }), 'line')
  return { server, url: (JSON.parse(String(line)) as { url: string }).url }
}
