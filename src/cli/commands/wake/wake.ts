import { createWakeBudget } from '../../../agent/budget.ts'
import { type CommandResult, keepAwake, type WakeNews } from '../../../agent/wake.ts'
import { NUDGE_PATH } from '../../../courier/nudge-address.ts'
import { nudgeToken } from '../../../courier/nudge-token.ts'
import { sleep } from '../../../kit/clock/sleep.ts'
import { randomToken } from '../../../kit/node/crypto.ts'
import { machineName, processStart } from '../../../kit/node/processes.ts'
import { formatDuration } from '../../../kit/pure/duration.ts'
import { EXIT, PosternError } from '../../../model/errors.ts'
import type { Postern } from '../../../model/postern.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { requireOwnAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { counted } from '../../shell/print.ts'
import { catchSignals, type Stopper } from '../../shell/stop-signals.ts'
import { createNudges, type NudgeDoor, openNudgeDoor } from './nudge.ts'
import { tellOfSpentBudget } from './people.ts'
import { gatherSpool, runBatch, say } from './run-batch.ts'
import { lockWake, type WakeLock } from './state.ts'

const DEFAULT_PER_HOUR = 60
const SESSION_TOKEN = 12
const LAST_PORT = 65_535

export const wake: Command = {
  path: 'wake',
  isLasting: true,
  summary: 'Run a command with the mail on its input whenever some comes for an agent.',
  operands: '<command…>',
  options: [
    { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'whose mail (default: your own)' },
    { name: 'session', value: '<id>', summary: 'the session that is shown the messages, and whose spool is read' },
    { name: 'max-per-hour', value: '<n>', summary: 'run it at most so often within an hour (default 60)' },
    { name: 'once', summary: 'end after one batch' },
    { name: 'nudge-port', value: '<port>', summary: 'also look when nudged at this port of 127.0.0.1; 0 for any' },
  ],
  examples: [
    'postern wake --agent quinn -- ./answer-mail.sh',
    'postern wake --agent quinn --json --max-per-hour 10 -- node agent.mjs',
    "postern wake --agent quinn --once -- sh -c 'cat > mail.txt'",
  ],

  async run(io, args) {
    const settings = readSettings(args)
    const postern = await io.open()
    const agent = await requireOwnAgent(io, args, postern)
    await postern.agents.show({ id: agent })
    const lock = await lockWake(io.config.home, io.config.url ?? io.config.store, agent)
    const stopper = catchSignals()
    let door: NudgeDoor | undefined
    try {
      const nudges = createNudges()
      if (settings.nudgePort !== undefined) door = await openDoor(io, settings.nudgePort, nudges.ring)
      const result = await wakeAgent({ io, postern, agent, settings, lock, stopper, nextNudge: nudges.next })
      if (settings.isOnce && result && !result.isDone && !result.isHopeless)
        say(io, `${result.evidence}; its batch waits again`)
      return exitOf(result, settings.isOnce, stopper)
    } finally {
      door?.close()
      stopper.close()
      lock.close()
    }
  },
}

interface Settings {
  readonly words: readonly string[]
  readonly isOnce: boolean
  readonly sessionId: string | undefined
  readonly perHour: number
  readonly nudgePort: number | undefined
}

function readSettings(args: Args): Settings {
  const nudgePort = wholeNumber(args, 'nudge-port', 0)
  if (nudgePort !== undefined && nudgePort > LAST_PORT) throw usage(wake, '--nudge-port takes a port')
  return {
    words: args.operands,
    isOnce: args.has('once'),
    sessionId: args.get('session'),
    perHour: wholeNumber(args, 'max-per-hour', 1) ?? DEFAULT_PER_HOUR,
    nudgePort,
  }
}

function wholeNumber(args: Args, name: string, least: number): number | undefined {
  const value = args.get(name)
  if (value === undefined) return undefined
  const number = /^\d{1,6}$/.test(value) ? Number(value) : -1
  if (number < least) throw usage(wake, `--${name} takes a whole number from ${least} on`)
  return number
}

interface WakeRun {
  readonly io: Io
  readonly postern: Postern
  readonly agent: string
  readonly settings: Settings
  readonly lock: WakeLock
  readonly stopper: Stopper
  readonly nextNudge: () => AbortSignal
}

/** Registers the session, wakes the agent until it is told to end, and leaves nothing behind that would wait for it. */
async function wakeAgent({
  io,
  postern,
  agent,
  settings,
  lock,
  stopper,
  nextNudge,
}: WakeRun): Promise<CommandResult | undefined> {
  const { before } = lock
  const sessionId = settings.sessionId ?? `wake-${agent}-${randomToken(SESSION_TOKEN)}`
  // Whoever was killed over a batch has it no more: it is given back at once, not when its lease ends.
  if (before.offerId !== null) await giveBack(postern, before.offerId)
  const { pid } = process
  const pidStartedAt = processStart(pid)
  await postern.sessions.begin({
    id: sessionId,
    agent,
    host: 'wake',
    pid,
    machine: machineName(),
    ...(pidStartedAt !== undefined && { pidStartedAt }),
  })

  const budget = createWakeBudget(settings.perHour, before.wokenAt)
  let offerId: string | null = null
  const note = () => lock.write({ pid, offerId, wokenAt: budget.spent })
  note()
  const tell: WakeNews = {
    holding(id) {
      offerId = id
      note()
    },
    failed: (evidence, batch, waitMs) =>
      say(io, `${evidence}; ${counted(batch.messages.length, 'message')} again in ${formatDuration(waitMs)}`),
    async spent(waitMs) {
      say(
        io,
        `${agent} was woken ${settings.perHour} times within an hour; its mail waits for ${formatDuration(waitMs)}`,
      )
      await tellOfSpentBudget(postern, agent, io.now())
    },
  }
  const result = await keepAwake({
    postern,
    agent,
    sessionId,
    budget,
    holdMs: io.config.limits.printedOfferMs / 3,
    isOnce: settings.isOnce,
    act: (batch, taken) => runBatch(io, settings.words, { agent, sessionId, batch, taken, stopper }),
    gather: () => gatherSpool(io, postern, { agent, sessionId: settings.sessionId }),
    nextNudge,
    signal: stopper.signal,
    tell,
    now: io.now,
    random: Math.random,
    sleep,
  })
  // The end of a session confirms what it was shown; what could not be given back is not to be.
  if (offerId === null) await postern.sessions.end({ id: sessionId })
  return result
}

async function giveBack(postern: Postern, offerId: string): Promise<void> {
  try {
    // A command may have read it, so the attempt counts.
    await postern.inbox.printed({ offerId })
    await postern.inbox.release({ offerId, reason: 'whoever was woken with it was killed' })
  } catch (error) {
    if (!(error instanceof PosternError && error.code === 'OFFER_NOT_FOUND')) throw error
  }
}

function exitOf(result: CommandResult | undefined, isOnce: boolean, { signalled }: Stopper): number {
  if (result?.isHopeless)
    throw new PosternError('USAGE', {
      message: `${capital(result.evidence)}.`,
      next: 'Its batch is pending again. Name a command that can be run.',
    })
  if (isOnce && result) return result.isDone ? EXIT.ok : EXIT.failed
  return signalled === 'SIGINT' ? EXIT.interrupted : EXIT.ok
}

function capital(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

async function openDoor(io: Io, port: number, onNudge: () => void): Promise<NudgeDoor> {
  try {
    const { token, path } = nudgeToken(io.config.home)
    const door = await openNudgeDoor(port, token, onNudge)
    say(io, `nudges are heard at http://127.0.0.1:${door.port}${NUDGE_PATH}, with the token in ${path}`)
    return door
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw usage(wake, `Port ${port} cannot be listened at (${code ?? message})`)
  }
}
