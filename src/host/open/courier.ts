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

export interface CourierOptions {
  readonly config: Config
  readonly agent: string
  /** Absent: the agent's session on this machine that was last active. */
  readonly sessionId?: string
  /** The root of the project; absent: that of the session. */
  readonly root?: string
  /** Where a wrapped agent is nudged; absent: nowhere. */
  readonly nudgeUrl?: string
  readonly heartbeatMs: number
  readonly cwd: string
  /** Opens the Postern. It is called again after a failure. */
  readonly reach: () => Promise<CourierPostern>
  readonly note: (event: string, fields: Readonly<Record<string, unknown>>) => void
}

/** A courier that runs until it is closed. */
export interface RunningCourier extends Loop {
  /** The wire that it listens to, without a password. */
  readonly wire: string
  /** Resolves when the first round has ended, whether or not the store could be reached. */
  readonly started: Promise<void>
}

/** Starts a courier. While it runs, no other courier of this home serves the same session. */
export async function openCourier(options: CourierOptions): Promise<RunningCourier> {
  const { config, agent, sessionId, root, cwd, heartbeatMs, note } = options
  const nudger = openNudger(options)
  const reach = reachOnce(options.reach)
  await requireRegistered(agent, reach)
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

/** How long to wait for the store at the start. Copies arrive by the wire even while the store does not answer. */
const PATIENCE_MS = 5_000

/** Refuses an agent that is not registered. A store that cannot be reached now is no reason to refuse. */
async function requireRegistered(agent: string, reach: CourierOptions['reach']): Promise<void> {
  const shown = reach().then(({ agents }) => agents.show({ id: agent }))
  try {
    await within(PATIENCE_MS, shown, undefined)
  } catch (error) {
    if (!(error instanceof PosternError && error.retryable)) throw error
  }
}

function openNudger({ config, nudgeUrl, note }: CourierOptions): Nudger | undefined {
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

async function openWire({ config, agent, note }: CourierOptions, reach: CourierOptions['reach']): Promise<OpenedWire> {
  const url = findWireUrl(config)
  if (url === null) {
    const wire = createWaitingWire({ agent, reach, random: Math.random })
    return { wire, name: config.url ?? "the store's own rings", close: async () => {} }
  }
  const wire = await openEngineWire(url, { note })
  return { wire, name: hidePassword(url), close: async () => wire.close() }
}

/** Opens the Postern once and shares it. A failed attempt is forgotten, so the next call tries again. */
function reachOnce(open: CourierOptions['reach']): CourierOptions['reach'] {
  let opening: Promise<CourierPostern> | undefined
  return () => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
}
