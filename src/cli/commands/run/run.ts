import { constants } from 'node:os'
import { basename } from 'node:path'
import { type StartedRun, startRun } from '../../../host/bus/runs.ts'
import { BUS } from '../../../host/config/bus.ts'
import { formatDuration } from '../../../kit/pure/duration.ts'
import { showField } from '../../../render/terminal.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { formatJson } from '../../shell/json.ts'
import { usage } from '../../shell/parse.ts'
import { contextOf, PLACE_OPTIONS } from '../bus/place.ts'
import { forwardSignals, type SignalForwarder } from './forward-signals.ts'
import { openPrompt, type Prompt } from './prompt.ts'
import { type Supervised, supervise } from './supervise.ts'

const STDOUT = 1
const STDERR = 2
const SIGNALLED = 128
const MAX_WIDTH = 2_000
const LABEL = /^[A-Za-z0-9][\w.+-]{0,63}$/

export const run: Command = {
  path: 'run',
  isLasting: true,
  isForAnyone: true,
  isLocal: true,
  takesCommand: true,
  summary: 'Run an agent program, and tell its start and its end on the bus of a task.',
  operands: '<command…>',
  options: [
    ...PLACE_OPTIONS,
    { name: 'agent-type', value: '<name>', summary: 'what runs, such as codex (default: the name of the program)' },
    { name: 'prompt', value: '<file>', summary: 'its input, of which the run keeps a copy; - is stdin' },
    { name: 'previous-run', value: '<id>', summary: 'the run that this one goes on from' },
  ],
  examples: [
    'postern run --project conductor-loop --task task-docs --prompt prompt.md -- claude -p',
    "postern run --project conductor-loop --task task-docs --agent-type tests -- sh -c 'npm test'",
  ],

  async run(io, args) {
    const prompt = openPrompt(args.get('prompt'))
    const signals = forwardSignals()
    try {
      const started = await startRun(io.config.get(BUS), {
        context: contextOf(io, args),
        env: process.env,
        agentType: agentTypeIn(args),
        words: args.operands,
        cwd: process.cwd(),
        hasPrompt: prompt !== undefined,
        previousRunId: args.get('previous-run'),
      })
      try {
        return await perform(io, started, { args, prompt, signals })
      } finally {
        started.close()
      }
    } finally {
      prompt?.close()
      signals.close()
    }
  },
}

function agentTypeIn(args: Args): string {
  const given = args.get('agent-type')
  if (given !== undefined && !LABEL.test(given)) throw usage(run, '--agent-type takes a name, such as codex')
  const program = basename(args.operands[0] ?? '')
  return given ?? (LABEL.test(program) ? program : 'command')
}

interface Means {
  readonly args: Args
  readonly prompt: Prompt | undefined
  readonly signals: SignalForwarder
}

/** Until the entry that begins it is written nothing has been begun, and nothing is left of it. */
async function perform(io: Io, started: StartedRun, { args, prompt, signals }: Means): Promise<number> {
  const { run: opened, closed } = started
  for (const { run_id, status } of closed) say(io, `${run_id} had ended untold (${status})`)
  let done: Supervised
  try {
    const input = await prompt?.keep(opened.paths.prompt, signals.asked)
    signals.asked.throwIfAborted()
    done = await supervise(opened, {
      words: args.operands,
      env: { ...process.env, ...opened.env },
      input,
      // With --json stdout is for the answer alone.
      lookingOn: [io.isJson ? STDERR : STDOUT, STDERR],
      signals,
    })
  } catch (error) {
    opened.abandon()
    if (signals.signalled !== undefined) return SIGNALLED + constants.signals[signals.signalled]
    throw error
  }
  signals.close()
  await done.shown
  tell(io, started, done)
  return done.exitCode
}

function tell(io: Io, { run: opened, place, closed }: StartedRun, done: Supervised): void {
  const { paths } = opened
  if (done.unkept > 0) say(io, `${done.unkept} bytes of its output could not be kept`)
  if (done.fault)
    say(io, `its end could not be told on the bus, and the next run of the task does it: ${done.fault.message}`)
  if (!io.isJson) {
    if (done.status !== 'completed') say(io, `${howItEnded(done)}; its output is in ${paths.folder}`)
    return
  }
  io.stdout.line(
    formatJson({
      run_id: opened.id,
      ...place,
      status: done.status,
      exit_code: done.exitCode,
      signal: done.end.signal,
      duration_ms: done.durationMs,
      pid: done.pid ?? null,
      start_msg_id: done.startId,
      end_msg_id: done.msgId,
      run_dir: paths.folder,
      output_path: paths.output,
      stdout_path: paths.stdout,
      stderr_path: paths.stderr,
      closed_runs: closed,
    }),
  )
}

function howItEnded({ end, durationMs }: Supervised): string {
  if (end.failure !== null) return `the command could not be started (${end.failure})`
  const how = end.signal === null ? `ended with ${end.exitCode}` : `was ended by ${end.signal}`
  return `the command ${how} after ${formatDuration(durationMs)}`
}

function say(io: Io, text: string): void {
  io.stderr.line(`postern: ${showField(text, MAX_WIDTH)}`)
}
