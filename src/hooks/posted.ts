import { HANDOFF } from '../host/config/handoff.ts'
import { HOOKS, type UserHook } from '../host/config/hooks.ts'
import { noteFault } from '../host/hook-log.ts'
import type { Hooked } from '../host/serving/hooked.ts'
import { projectRoot } from '../host/spool-place.ts'
import { randomToken } from '../kit/node/crypto.ts'
import { nextTurn } from '../kit/node/event-loop.ts'
import { monotonicMs } from '../kit/node/monotonic.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { isAgentId } from '../model/agent.ts'
import { createCall, type SoundEvent } from './call.ts'
import type { ChainAnswer } from './chain.ts'
import { answerFromStore } from './from-store.ts'
import type { HookCall, HookSettings } from './handler.ts'
import type { HookEventName, Host } from './hosts/host.ts'
import { findHost } from './hosts/hosts.ts'
import { parseInput } from './parse-input.ts'
import { answerProbe, isProbe } from './probe.ts'
import { openShadow } from './shadow.ts'
import { afterwards, giveBack, noteShown } from './shown.ts'
import { HOOK_TIMEOUTS, type HookTimeouts } from './timeouts.ts'

/** One event of a host that came over HTTP. */
export interface Posted {
  readonly host: string
  /** Undefined where nobody was named. */
  readonly agent: string | undefined
  /** Reads what was sent. */
  readonly read: () => Promise<string>
}

export interface PostedAnswer {
  /** A JSON object. */
  readonly body: string
  /** To be told once: the whole answer has gone out, or never will. */
  settle(wasSent: boolean): void
}

/** Answers what hosts post. Whatever goes wrong, they get a harmless answer and `doctor` the reason. */
export interface PostedHooks {
  answer(posted: Posted): Promise<PostedAnswer>
  /** Resolves when everything that was answered has been noted. */
  rest(): Promise<void>
}

/**
 * Hosts go on as if nothing had been said where a server does not answer, so only what cannot hold anybody comes this
 * way: whatever is not shown now is shown later.
 */
export const POSTED_EVENTS: readonly HookEventName[] = ['prompt.submit', 'tool.after']

const NOTHING: PostedAnswer = { body: '{}', settle() {} }
const NONCE_LENGTH = 12

export function createPostedHooks(hooked: Hooked, timeouts: HookTimeouts = HOOK_TIMEOUTS): PostedHooks {
  const unsettled = new Set<Promise<void>>()

  return {
    async answer(posted) {
      const settings = settingsFrom(monotonicMs(), timeouts)
      try {
        return await answerPosted(hooked, posted, { settings, keep })
      } catch (error) {
        return refuse(hooked, posted, '', error)
      }
    },
    async rest() {
      await Promise.all(unsettled)
    },
  }

  function keep(work: Promise<void>): void {
    // What was shown and not noted as printed is shown again.
    const settled = work.catch(() => {}).finally(() => unsettled.delete(settled))
    unsettled.add(settled)
  }
}

interface Errand {
  readonly settings: HookSettings
  readonly keep: (work: Promise<void>) => void
}

async function answerPosted(hooked: Hooked, posted: Posted, errand: Errand): Promise<PostedAnswer> {
  const host = findHost(posted.host)
  const agent = posted.agent !== undefined && isAgentId(posted.agent) ? posted.agent : undefined
  if (!host) return refuse(hooked, posted, '', 'there is no such host')
  const { event, fault } = parseInput(host, agent, await posted.read())
  if (fault !== undefined) return refuse(hooked, posted, event?.hostEvent ?? '', fault)
  if (event === undefined || agent === undefined) return NOTHING
  if (isProbe(event))
    return { ...NOTHING, body: await answerProbe(agent, async () => hooked.open(hooked.readConfig('/', () => {}))) }
  if (!POSTED_EVENTS.includes(event.name)) return refuse(hooked, posted, event.hostEvent, NOT_OVER_HTTP)
  if (hooked.look.isQuiet(agent)) return { ...NOTHING, settle: () => hooked.look.noteHeard(agent) }
  try {
    return await deliver(hooked, { host, agent, event: event as SoundEvent }, errand)
  } catch (error) {
    return refuse(hooked, posted, event.hostEvent, error)
  }
}

const NOT_OVER_HTTP = 'this event may hold the agent, so it must come through the launcher and not over HTTP'
const OTHER_STORE = 'the project keeps its messages in another store than the server that was asked'

interface Delivery {
  readonly host: Host
  readonly agent: string
  readonly event: SoundEvent
}

async function deliver(hooked: Hooked, delivery: Delivery, { settings, keep }: Errand): Promise<PostedAnswer> {
  const { host, agent, event } = delivery
  const { home } = hooked
  const shadow = openShadow(home, { agent, sessionId: event.sessionId })
  const before = shadow.read()
  const folder = before.folder ?? event.cwd ?? home
  const note = (error: unknown) => void refuse(hooked, { host: host.name }, event.hostEvent, error)
  const config = hooked.readConfig(folder, note)
  const userHooks = config.get(HOOKS)
  if (config.store !== hooked.store) throw new Error(OTHER_STORE)
  const root = projectRoot(event.cwd ?? folder)
  const postern = hooked.open(config)
  const rules = {
    limits: config.limits,
    handoff: () => config.get(HANDOFF),
    uncounted: before.blocks,
    counted: before.counted,
  }
  const call = createCall({ event, host, agent, postern, settings, root, note, ...rules })
  const answer = await answerFromStore(call, shadow, { home, userHooks, before: { ...before, folder } })
  // A host that has gone away meanwhile is known to have before anything is sent.
  if (answer.offer || answer.inheritance !== undefined) await nextTurn()
  return {
    body: host.render(event, answer) || NOTHING.body,
    settle: (wasSent) => keep(settle(call, answer, { wasSent, userHooks })),
  }
}

interface Outcome {
  readonly wasSent: boolean
  readonly userHooks: readonly UserHook[]
}

async function settle(call: HookCall, answer: ChainAnswer, { wasSent, userHooks }: Outcome): Promise<void> {
  if (!wasSent) return giveBack(call, answer, 'the host had gone before it was answered')
  await noteShown(call, answer)
  await afterwards(call, answer, userHooks)
}

/** The process that posts is not known, and what only concerns stops and tools does not come this way. */
function settingsFrom(startedAt: number, timeouts: HookTimeouts): HookSettings {
  return {
    stopCap: null,
    ageMs: () => monotonicMs() - startedAt,
    timeouts,
    nonce: () => randomToken(NONCE_LENGTH),
    hostProcess: () => undefined,
    markers: () => [],
  }
}

function refuse({ home }: Hooked, { host }: Pick<Posted, 'host'>, event: string, error: unknown): PostedAnswer {
  const fault = reasonOf(error)
  noteFault(home, { at: new Date().toISOString(), host: findHost(host)?.name ?? '', event, fault })
  return NOTHING
}
