import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { afterAll, onTestFinished } from 'vitest'
import { makeTemporaryFolder, removeFolder } from '../../helpers/temp.ts'

let bundled: string | undefined
afterAll(() => {
  if (bundled !== undefined) removeFolder(dirname(bundled))
})

/** The server with all of `src` that it uses in one file, so that a hundred of them start soon. */
function script(): string {
  if (bundled !== undefined) return bundled
  const outfile = join(makeTemporaryFolder(), 'sse-server.mjs')
  const entry = fileURLToPath(new URL('./sse-server.ts', import.meta.url))
  const banner = { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)` }
  const external = ['pg-native']
  buildSync({
    entryPoints: [entry],
    outfile,
    external,
    banner,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
  })
  bundled = outfile
  return bundled
}

export interface ServerSettings {
  readonly home: string
  readonly token: string
  readonly beatMs?: number
  readonly plant?: 'drop-one' | 'one-too-late' | 'never-full'
}

/** A server that dies and is started again, at the same address. */
export interface MortalServer {
  readonly url: string
  kill(): Promise<void>
  restart(): Promise<void>
  /** The most bytes that the present process has held for one client of its event streams. */
  mostQueuedBytes(): Promise<number>
}

export async function startMortalServer({ home, token, beatMs, plant }: ServerSettings): Promise<MortalServer> {
  let child: ChildProcess | undefined
  const start = async (port: string) => {
    const options = { home, token, port, ...(beatMs && { beatMs }), ...(plant && { plant }) }
    const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    const started = spawn(process.execPath, [script(), ...words], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
    const { stdout } = started
    if (!stdout) throw new Error('the server has no stdout')
    child = started
    const gone = once(started, 'exit').then(([code]) => Promise.reject(new Error(`it ended with ${code}`)))
    const [line] = await Promise.race([once(stdout, 'data'), gone])
    gone.catch(() => {})
    return String(line).trim()
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  onTestFinished(kill)
  const url = await start('0')
  return {
    url,
    kill,
    async restart() {
      await start(new URL(url).port)
    },
    async mostQueuedBytes() {
      if (!child) return 0
      const answer = once(child, 'message')
      child.send('how much waits?')
      return (await answer)[0] as number
    },
  }
}
