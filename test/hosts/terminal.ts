import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { DEAD_MACHINE_MS } from '../helpers/patience.ts'
import type { Driver } from './driver.ts'
import { openLoopback } from './loopback.ts'
import { type ScriptedModel, type Step, startModel } from './model.ts'
import type { Place } from './place.ts'

/** A client at a terminal that nobody sits at. */
export interface TerminalSession {
  readonly model: ScriptedModel
  /** What the terminal shows now. */
  screen(): string
  /** Types a prompt and sends it, once the client takes input. */
  enter(text: string): Promise<void>
}

const POLL_MS = 50

/** Starts the client in a terminal of its own; both end with the test. */
export async function openSession(driver: Driver, place: Place, steps: readonly Step[]): Promise<TerminalSession> {
  const loopback = await openLoopback()
  const model = await startModel(loopback, steps)
  const env = { ...place.env, ...driver.env(model.url), TERM: 'xterm-256color' }
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const command = ['env', '-i', ...assignments, ...loopback.enter, driver.program, ...driver.terminalArgs()]
  // A server of its own for each test, so that none sees or ends another's.
  const socket = join(dirname(place.home), 'tmux')
  const tell = (...args: readonly string[]) =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8', cwd: place.project })
  const screen = () => tell('capture-pane', '-p')
  onTestFinished(async () => {
    try {
      tell('kill-server')
    } catch {
      // The client ended by itself, and the terminal with it.
    }
    await model.close()
    model.check()
  })
  driver.prepare(place, model.url)
  tell('new-session', '-d', '-x', '140', '-y', '45', '-c', place.project, ...command)

  return {
    model,
    screen,
    async enter(text) {
      await until('the client to take input', () => driver.takesInput.test(screen()), screen)
      tell('send-keys', '-l', text)
      await until('the prompt to be typed', () => screen().includes(text), screen)
      tell('send-keys', 'Enter')
    },
  }
}

/** Looks again and again until it is so; throws with what it saw last where it never is. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  describe: () => string | Promise<string> = () => '',
): Promise<void> {
  const endsAt = performance.now() + DEAD_MACHINE_MS
  while (!(await isSo())) {
    if (performance.now() > endsAt) throw new Error(`waited in vain for ${what}\n${await describe()}`)
    await delay(POLL_MS)
  }
}
