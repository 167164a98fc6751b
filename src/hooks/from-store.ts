import type { UserHook } from '../host/config/hooks.ts'
import { NO_SHADOW, REPLACED, type Shadow, type ShadowFile } from '../host/shadow.ts'
import { PosternError } from '../model/errors.ts'
import { reportBypasses } from './bypasses.ts'
import { type ChainAnswer, runChain } from './chain.ts'
import type { HookCall } from './handler.ts'
import { inTime } from './in-time.ts'
import { giveBack } from './shown.ts'
import { userHandlers } from './user-handlers.ts'

export interface Surroundings {
  readonly home: string
  readonly userHooks: readonly UserHook[]
  /** What was known before. */
  readonly before: Shadow
  /** Where the store lies, as a checksum. */
  readonly place: () => string
  /** Where the user's commands run; the root of the session's project if absent. */
  readonly commandFolder?: string | undefined
}

/** An answer, and what remains to be done once it is out. */
export interface FromStore {
  readonly answer: ChainAnswer
  /** Tells the store of gates that were passed while it could not be read. */
  report(): Promise<void>
}

/**
 * What is known of the gates is written down before anything is asked of the store that may take long. Only here is the
 * shadow written, never by what goes on after the deadline; what that would have shown is given back. The chain runs
 * last: its answer is counted, so nothing after it may fail. A store that does not know the gates of the shadow answers
 * nothing, and changes no shadow.
 */
export async function answerFromStore(
  call: HookCall,
  shadow: ShadowFile,
  { home, userHooks, before, place, commandFolder }: Surroundings,
): Promise<FromStore> {
  const { postern, agent, event, settings } = call
  const { folder } = before
  const owner = { agent, sessionId: event.sessionId }
  const asked = before.gates.length === 0 ? owner : { ...owner, known: before }
  const { gates, store, isReplaced } = await inTime(settings, postern.hooks.standing(asked))
  if (isReplaced) throw new PosternError('STORE_UNAVAILABLE', { path: 'of this home', reason: REPLACED })
  const copy = needsCopy(call, before.gates, gates) ? (await import('./shadows.ts')).openCopy(home, owner) : undefined
  const own = copy?.addPasses(shadow.read()) ?? shadow.read()
  const known = { folder, store, place: gates.length === 0 ? null : place(), gates }
  const isWritten = shadow.write({ ...own, ...known })
  if (isWritten) copy?.keep({ ...own, ...known })
  const answer = await inTime(settings, runChain(call, userHandlers(userHooks, commandFolder)), (late) =>
    giveBack(call, late, 'the answer came too late'),
  ).finally(() => {
    call.isOver = true
  })
  const { blocks, counted, bypassed, owedTo } = isWritten ? shadow.read() : own
  if (event.name === 'session.end') {
    copy?.keep(NO_SHADOW)
    shadow.write({ ...NO_SHADOW, folder, bypassed, owedTo })
  } else {
    // Passes that only the copy has noted stay there until they are told.
    if (isWritten || bypassed.length === 0) copy?.clearCounts()
    // Stops that the store has counted by now are not counted here again.
    const stops = {
      blocks: call.uncounted && Math.max(call.uncounted, blocks),
      counted: call.session?.continuations ?? (call.refusal ? call.counted : counted),
    }
    shadow.write({ ...own, ...known, ...stops, bypassed, owedTo })
  }
  return { answer, report: () => reportBypasses(call, { home, shadow, own: { ...own, bypassed, owedTo }, place }) }
}

/** The agent waits for the answers to turns and tools, so there the copy is asked only if the gates have changed. */
function needsCopy({ event }: HookCall, before: Shadow['gates'], now: Shadow['gates']): boolean {
  const isWaiting = /^(?:turn|tool)\./.test(event.name)
  return isWaiting ? JSON.stringify(before) !== JSON.stringify(now) : before.length + now.length > 0
}
