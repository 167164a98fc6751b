import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'
import { EXECUTABLE } from '../command.ts'
import { shareCompiledCode } from '../compiled-code.ts'

export interface CourierCommand {
  readonly home: string
  readonly cwd: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** `postern courier` in a process of its own. */
export interface CourierProcess {
  readonly child: ChildProcess
  /** What it has said so far, each with its event. */
  readonly news: readonly { readonly event: string; readonly [field: string]: unknown }[]
  /** Ends it, and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/** Resolves when it has brought what waited, or has said that it could not. It ends with the test. */
export async function startCourier({ home, cwd, args, env = {} }: CourierCommand): Promise<CourierProcess> {
  shareCompiledCode(home)
  const child = spawn(process.execPath, [EXECUTABLE, 'courier', '--json', ...args], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, POSTERN_HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const exited = once(child, 'exit')
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    const [code] = await exited
    return code
  }
  onTestFinished(async () => void (await stop('SIGKILL')))
  const news: { event: string }[] = []
  const started = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      news.push(JSON.parse(line))
      if (news.at(-1)?.event === 'courier.started') resolve()
    })
  })
  await Promise.race([
    started,
    exited.then(() => {
      throw new Error(`it did not start: ${stderr}`)
    }),
  ])
  return { child, news, stop }
}
