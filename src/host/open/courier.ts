import { Courier, type CourierWire } from '../../courier/courier.ts'
import { lockCourier } from '../../courier/courier-lock.ts'
import type { CourierPostern } from '../../courier/courier-postern.ts'
import { createNudger, type Nudger } from '../../courier/nudge.ts'
import { parseNudgeUrl } from '../../courier/nudge-address.ts'
import { nudgeToken } from '../../courier/nudge-token.ts'
import { createWaitingWire } from '../../courier/waiting-wire.ts'
import { within } from '../../kit/clock/within.ts'
import { machineName } from '../../kit/node/processes.ts'
import { lazy } from '../../kit/pure/lazy.ts'
import { hidePassword } from '../../kit/pure/passwords.ts'
import type { Loop } from '../../loops/loop.ts'
import { PosternError } from '../../model/errors.ts'
import type { Config } from '../config/config.ts'
import { readVariable } from '../config/variables.ts'
import { findWireUrl, WIRE } from '../config/wire.ts'
import { ingestSpool } from '../spool.ts'
import { projectRoot } from '../spool-place.ts'
import { openEngineWire } from '../wires/open-wire.ts'

export interface OpenCourier {
  readonly config: Config
  readonly agent: string
  /** Absent: the agent's session of this machine that was heard of last. */
  readonly sessionId?: string
  /** Absent: that of the session. */
  readonly root?: string
  /** Where a wrapped agent is nudged; absent: nobody is. */
  readonly nudgeUrl?: string
  readonly heartbeatMs: number
  readonly cwd: string
  /** Opens the Postern, and again where that has failed. */
  readonly reach: () => Promise<CourierPostern>
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

/** A courier at work. */
export interface RunningCourier extends Loop {
  /** The wire that it listens to, without a password. */
  readonly wire: string
  /** Resolves when the first round has ended, whether or not the store could be reached. */
  readonly started: Promise<void>
}

/** Starts a courier as its configuration says. No other courier serves the same session meanwhile. */
export async function openCourier(options: OpenCourier): Promise<RunningCourier> {
  const { config, agent, sessionId, root, cwd, heartbeatMs, note } = options
  const nudger = openNudger(options)
  const reach = reachOnce(options.reach)
  await requireKnown(agent, reach)
  const lock = await lockCourier({ home: config.home, store: config.url ?? config.store, agent, sessionId })
  try {
    const { wire, name, close } = await openWire(options, reach)
    const courier = new Courier({
      agent,
      sessionId,
      root,
      workingRoot: projectRoot(cwd),
      machine: machineName(),
      reach,
      ingestSpool,
      wire,
      ...(nudger && { wake: nudger.nudge }),
      contentBytes: config.limits.contentBytes,
      heartbeatMs,
      note,
      now: Date.now,
      random: Math.random,
    })
    const closeAll = lazy(async () => {
      await courier.close()
      nudger?.close()
      await close()
      lock.close()
    })
    return { wire: name, started: courier.started, wake: () => courier.wake(), close: closeAll }
  } catch (error) {
    lock.close()
    throw error
  }
}

/** Copies come through a wire also while the store is silent, and are not kept waiting for it. */
const PATIENCE_MS = 5_000

/** A store that is away comes back; a name that nobody has is a mistake. */
async function requireKnown(agent: string, reach: OpenCourier['reach']): Promise<void> {
  const shown = reach().then(({ agents }) => agents.show({ id: agent }))
  try {
    await within(PATIENCE_MS, shown, undefined)
  } catch (error) {
    if (!(error instanceof PosternError && error.retryable)) throw error
  }
}

function openNudger({ config, nudgeUrl, note }: OpenCourier): Nudger | undefined {
  if (nudgeUrl === undefined) return undefined
  const target = parseNudgeUrl(nudgeUrl, config.get(WIRE).nudge)
  const token = () => readVariable(process.env, 'nudgeToken') ?? nudgeToken(config.home).token
  return createNudger({ target, token, note })
}

interface OpenedWire {
  readonly wire: CourierWire
  readonly name: string
  readonly close: () => Promise<void>
}

async function openWire({ config, agent, note }: OpenCourier, reach: OpenCourier['reach']): Promise<OpenedWire> {
  const url = findWireUrl(config)
  if (url === null) {
    const wire = createWaitingWire({ agent, reach, random: Math.random })
    return { wire, name: config.url ?? "the store's own rings", close: async () => {} }
  }
  const wire = await openEngineWire(url, { note })
  return { wire, name: hidePassword(url), close: async () => wire.close() }
}

/** Those who ask at once share one opening. */
function reachOnce(open: OpenCourier['reach']): OpenCourier['reach'] {
  let opening: Promise<CourierPostern> | undefined
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
}
