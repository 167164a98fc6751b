import type { CourierOptions } from '../../../host/open/courier.ts'
import { parseDuration } from '../../../kit/pure/duration.ts'
import { parseAgentId } from '../../../model/agent.ts'
import { EXIT } from '../../../model/errors.ts'
import { parseSessionId } from '../../../model/session.ts'
import type { Args, Command, Io } from '../../shell/command.ts'
import { requireOwnAgent } from '../../shell/own-agent.ts'
import { usage } from '../../shell/parse.ts'
import { catchSignals, untilStopped } from '../../shell/stop-signals.ts'
import { say } from '../wake/run-batch.ts'
import { describeNews } from './news.ts'

const DEFAULT_HEARTBEAT = '10m'
const LEAST_HEARTBEAT_MS = 1_000
const LONGEST_HEARTBEAT_MS = 24 * 60 * 60_000

/** When all is done, whatever a silent server was asked keeps the process no longer than this. */
const LEAVING_MS = 3_000

export const courier: Command = {
  path: 'courier',
  isLasting: true,
  summary: "Bring an agent's mail to its session's spool as it comes, and wake the agent where it rests.",
  options: [
    { name: 'agent', value: '<agent>', aliases: ['bead'], summary: 'whose mail (default: your own)' },
    { name: 'session', value: '<id>', summary: 'whose spool (default: the session that was heard of last)' },
    { name: 'root', value: '<folder>', summary: "the project's root, with the spool (default: that of the session)" },
    { name: 'nudge', value: '<url>', summary: 'nudge a wrapped agent at this address where it rests' },
    { name: 'heartbeat', value: '<duration>', summary: 'ask the store this often by itself (default 10m)' },
    { name: 'wire', value: '<url>', summary: 'nats://… or redis://… (default: as configured, else the store itself)' },
  ],
  examples: [
    'postern courier --agent quinn --wire nats://127.0.0.1:4222',
    'postern courier --agent quinn --session ses-1 --nudge http://127.0.0.1:7777',
  ],

  async run(io, args) {
    const settings = readSettings(args)
    const agent = await agentOf(io, args)
    // Most commands carry nothing, so what carries is a part of its own.
    const { openCourier } = await import('../../../host/open/courier.ts')
    const running = await openCourier({
      config: io.config,
      agent,
      ...settings,
      cwd: process.cwd(),
      reach: () => io.open(),
      note: (event, fields) => tell(io, event, fields),
    })
    const stopper = catchSignals()
    const stopped = untilStopped(stopper)
    try {
      await running.started
      tell(io, 'courier.started', { agent, wire: running.wire })
      await stopped
    } finally {
      await running.close()
      stopper.close()
    }
    const code = stopper.signalled === 'SIGINT' ? EXIT.interrupted : EXIT.ok
    setTimeout(() => process.exit(code), LEAVING_MS).unref()
    return code
  },
}

type Settings = Pick<CourierOptions, 'sessionId' | 'root' | 'nudgeUrl' | 'heartbeatMs'>

function readSettings(args: Args): Settings {
  const heartbeatMs = parseDuration(args.get('heartbeat') ?? DEFAULT_HEARTBEAT) ?? 0
  if (heartbeatMs < LEAST_HEARTBEAT_MS || heartbeatMs > LONGEST_HEARTBEAT_MS) {
    throw usage(courier, '--heartbeat takes a duration from 1s to 24h')
  }
  const [session, root, nudgeUrl] = [args.get('session'), args.get('root'), args.get('nudge')]
  return {
    heartbeatMs,
    ...(session !== undefined && { sessionId: parseSessionId(session) }),
    ...(root !== undefined && { root: process.getBuiltinModule('node:path').resolve(root) }),
    ...(nudgeUrl !== undefined && { nudgeUrl }),
  }
}

/** Whoever names the agent needs no store for that, which may be away. */
async function agentOf(io: Io, args: Args): Promise<string> {
  const named = args.get('agent') ?? args.get('as') ?? io.environmentAgent
  return named === undefined ? requireOwnAgent(io, args, await io.open()) : parseAgentId(named)
}

function tell(io: Io, event: string, fields: Readonly<Record<string, unknown>>): void {
  if (io.isJson) io.stdout.line(JSON.stringify({ event, ...fields }))
  else say(io, describeNews(event, fields))
}
