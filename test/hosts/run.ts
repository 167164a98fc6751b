import type { Outcome } from '../helpers/command.ts'
import type { Driver, PromptOptions } from './driver.ts'
import { openLoopback } from './loopback.ts'
import { type ModelRequest, type Step, startModel } from './model.ts'
import { type Place, runProgram } from './place.ts'

export interface ClientRun extends PromptOptions {
  readonly steps: readonly Step[]
  readonly prompt?: string
  readonly env?: Readonly<Record<string, string>>
  /** What the client has started may outlive it. */
  readonly leavesOthers?: boolean
}

export interface Ran extends Outcome {
  readonly requests: readonly ModelRequest[]
  readonly session: string
}

/** Longer than any client takes on a busy machine, shorter than a test may. */
const CLIENT_TIMEOUT_MS = 90_000

/** One prompt, answered to its end by the script. The client must have ended well. */
export async function runClient(driver: Driver, place: Place, run: ClientRun): Promise<Ran> {
  const loopback = await openLoopback()
  const model = await startModel(loopback, run.steps)
  try {
    driver.prepare(place, model.url)
    const args = driver.promptArgs(run.prompt ?? 'hello', { resume: run.resume })
    const outcome = await runProgram([...loopback.enter, driver.program, ...args], {
      cwd: place.project,
      env: { ...place.env, ...driver.env(model.url), ...run.env },
      timeoutMs: CLIENT_TIMEOUT_MS,
      leavesOthers: run.leavesOthers ?? false,
    })
    model.check()
    if (outcome.exit !== 0)
      throw new Error(`${driver.host} exited with ${outcome.exit}: ${outcome.stderr}\n${outcome.stdout}`)
    return { ...outcome, requests: model.requests, session: driver.sessionOf(outcome.stdout) ?? '' }
  } finally {
    await model.close()
  }
}
