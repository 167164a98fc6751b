import { join } from 'node:path'
import { HANDOFF } from '../host/config/handoff.ts'
import { HOOKS, type UserHook } from '../host/config/hooks.ts'
import { noteFault } from '../host/hook-log.ts'
import type { Hooked } from '../host/serving/hooked.ts'
import { NO_SHADOW, openShadow, placeOf, type ShadowFile } from '../host/shadow.ts'
import { projectRoot } from '../host/spool-place.ts'
import { randomToken } from '../kit/node/crypto.ts'
import { nextTurn } from '../kit/node/event-loop.ts'
import { monotonicMs } from '../kit/node/monotonic.ts'
import { machineName } from '../kit/node/processes.ts'
import { reasonOf } from '../kit/pure/reason-of.ts'
import { isAgentId } from '../model/agent.ts'
import { PosternError } from '../model/errors.ts'
import { isNamedHere, type Session } from '../model/session.ts'
import { createCall, type SoundEvent } from './call.ts'
import { answerFromStore, type FromStore } from './from-store.ts'
import type { HookCall, HookSettings } from './handler.ts'
import type { HookEventName, Host } from './hosts/host.ts'
import { findHost } from './hosts/hosts.ts'
import { inTime } from './in-time.ts'
import { parseInput } from './parse-input.ts'
import { answerProbe, isProbe } from './probe.ts'
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
  const owner = { agent, sessionId: event.sessionId }
  const shadow = openShadow(home, owner)
  const before = shadow.read()
  const [known] = await inTime(settings, hooked.sessions.list({ id: event.sessionId }))
  if (!known) await inTime(settings, beginPosted(hooked, { agent, id: event.sessionId }))
  const local = known?.agent === agent ? localSessionOf(known) : undefined
  const folder = before.folder ?? (local && folderWithin(local, event.cwd)) ?? event.cwd ?? home
  const note = (error: unknown) => void refuse(hooked, { host: host.name }, event.hostEvent, error)
  const config = hooked.readConfig(folder, note)
  if (config.store !== hooked.store) throw new Error(OTHER_STORE)
  const root = local?.project ?? projectRoot(event.cwd ?? folder)
  const postern = hooked.open(config)
  const userHooks = local ? config.get(HOOKS) : []
  const commandFolder = local?.project
  const rules = {
    limits: config.limits,
    handoff: () => config.get(HANDOFF),
    uncounted: before.blocks,
    counted: before.counted,
  }
  const isShadowed = local !== undefined || before !== NO_SHADOW
  const own = { home: isShadowed ? home : null, ...(!local && { isForeign: true as const }) }
  const call = createCall({ event, host, agent, postern, settings, root, note, ...own, ...rules })
  const surroundings = { home, userHooks, before, place: () => placeOf(config), commandFolder }
  const fromStore = await answerFromStore(call, isShadowed ? shadow : NO_FILE, surroundings)
  const { answer } = fromStore
  // A host that has gone away meanwhile is known to have before anything is sent.
  if (answer.offer || answer.inheritance !== undefined) await nextTurn()
  return {
    body: host.render(event, answer) || NOTHING.body,
    settle: (wasSent) => keep(settle(call, fromStore, { wasSent, userHooks })),
  }
}

/** A session that has ended may be of another agent: then the mail is shown without it, as in one that is open. */
async function beginPosted({ begin }: Hooked, session: Parameters<Hooked['begin']>[0]): Promise<void> {
  await begin(session).catch((error: unknown) => {
    if (!(error instanceof PosternError && error.code === 'SESSION_CONFLICT')) throw error
  })
}

/** In place of the shadow of a session that only a token has named. */
const NO_FILE: ShadowFile = { read: () => NO_SHADOW, write: () => false }

/** A session that a local hook has begun, with the folder that it named. */
interface LocalSession {
  readonly project: string
}

/**
 * What counts of a session if a local hook has begun it: it has named a process, which no token can. Every
 * other session is the word of a token, and so is the folder that comes with an event. Such a session runs no command of
 * the user and leaves no shadow, or a token could fill the disk with them.
 */
function localSessionOf(session: Session): LocalSession | undefined {
  const { project } = session
  return project !== null && isNamedHere(session, machineName()) ? { project } : undefined
}

/** The folder whose configuration counts: that of the event only if it lies in the project. */
function folderWithin({ project }: LocalSession, cwd: string | null): string {
  return cwd !== null && join(cwd, '/').startsWith(join(project, '/')) ? cwd : project
}

interface Outcome {
  readonly wasSent: boolean
  readonly userHooks: readonly UserHook[]
}

async function settle(call: HookCall, { answer, report }: FromStore, { wasSent, userHooks }: Outcome): Promise<void> {
  if (!wasSent) return giveBack(call, answer, 'the host had gone before it was answered')
  await noteShown(call, answer)
  await report()
  await afterwards(call, answer, userHooks)
}

/** The process that posts is not known, and what only concerns stops and tools does not come this way. */
function settingsFrom(startedAt: number, timeouts: HookTimeouts): HookSettings {
  return {
    stopCap: null,
    isPosted: true,
    ageMs: () => monotonicMs() - startedAt,
    timeouts,
    nonce: () => randomToken(NONCE_LENGTH),
    hostProcess: () => undefined,
    starter: () => undefined,
    markers: () => [],
  }
}

function refuse({ home }: Hooked, { host }: Pick<Posted, 'host'>, event: string, error: unknown): PostedAnswer {
  const fault = reasonOf(error)
  noteFault(home, { at: new Date().toISOString(), host: findHost(host)?.name ?? '', event, fault })
  return NOTHING
}
