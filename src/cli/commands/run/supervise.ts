import { constants, copyFile } from 'node:fs/promises'
import type { EndedRun, OpenRun } from '../../../host/bus/runs.ts'
import { monotonicMs } from '../../../kit/node/monotonic.ts'
import type { SignalForwarder } from './forward-signals.ts'
import { type CommandEnd, holdCommand } from './held-command.ts'
import { type KeptOutput, keepOutput, openOutput } from './kept-output.ts'

export interface Supervision {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** What the command reads; absent: what we would. */
  readonly input: number | undefined
  /** Where its stdout and stderr are shown. */
  readonly lookingOn: readonly [number, number]
  readonly signals: SignalForwarder
}

export interface Supervised extends EndedRun {
  readonly startId: string
  readonly pid: number | undefined
  readonly durationMs: number
  readonly end: CommandEnd
  /** How many bytes of its output could not be kept. */
  readonly unkept: number
  /** Resolves when its output was shown, or nobody looks on any more. */
  readonly shown: Promise<void>
}

/**
 * Runs the command of a run: it begins once its START entry is on the disk, and its end is told once its output is.
 * Fails where that entry cannot be written; nothing of the command has run then.
 */
export async function supervise(run: OpenRun, supervision: Supervision): Promise<Supervised> {
  const { words, env, input, lookingOn, signals } = supervision
  const { paths } = run
  const files = [await openOutput(paths.stdout), await openOutput(paths.stderr)] as const
  const command = await holdCommand({ words, env, input, folder: paths.folder })
  signals.to(command.kill)
  const outputs = [
    keepOutput(command.stdout, files[0], lookingOn[0]),
    keepOutput(command.stderr, files[1], lookingOn[1]),
  ] as const
  let startId: string
  try {
    startId = await run.begin(command.pid)
  } catch (error) {
    command.kill('SIGKILL')
    await allKept(outputs)
    await allShown(outputs)
    throw error
  }

  const startedAt = monotonicMs()
  command.letGo()
  const end = await command.ended
  const durationMs = Math.round(monotonicMs() - startedAt)
  await allKept(outputs)
  // A command that leaves no result of its own has said it on its stdout.
  await copyFile(paths.stdout, paths.output, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).catch(() => {})
  const ended = await run.end({ ...end, durationMs })
  const unkept = outputs[0].unkept + outputs[1].unkept
  return { ...ended, startId, pid: command.pid, durationMs, end, unkept, shown: allShown(outputs) }
}

async function allKept(outputs: readonly KeptOutput[]): Promise<void> {
  for (const output of outputs) output.finish()
  await Promise.all(outputs.map(({ kept }) => kept))
}

async function allShown(outputs: readonly KeptOutput[]): Promise<void> {
  await Promise.all(outputs.map(({ shown }) => shown))
  await Promise.all(outputs.map((output) => output.close()))
}
