import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Ran, runCli } from './cli.ts'

const PRELOAD = fileURLToPath(new URL('./barrier.cjs', import.meta.url))
const LOOK_MS = 20

/** Starts all commands, holds each until the last has come, and then lets them go at once. */
export async function runAtOnce(
  folder: string,
  home: string,
  commands: readonly (readonly string[])[],
): Promise<Ran[]> {
  mkdirSync(folder, { recursive: true })
  const options = { node: ['--require', PRELOAD], env: { POSTERN_TEST_BARRIER: folder } }
  const running = Promise.all(commands.map((args) => runCli(home, args, options)))
  while (readdirSync(folder).length < commands.length) await delay(LOOK_MS)
  writeFileSync(join(folder, 'go'), '')
  return running
}
