import type { UserHook } from '../host/config/hooks.ts'
import { reportBypasses } from './bypasses.ts'
import { type ChainAnswer, runChain } from './chain.ts'
import type { HookCall } from './handler.ts'
import { inTime } from './in-time.ts'
import { forgetBypasses, NO_SHADOW, type Shadow, type ShadowFile } from './shadow.ts'
import { giveBack } from './shown.ts'
import { userHandlers } from './user-handlers.ts'

export interface Surroundings {
  readonly home: string
  readonly userHooks: readonly UserHook[]
  /** What was known before. */
  readonly before: Shadow
}

/**
 * What is known of the gates is written down before anything is asked of the store that may take long. Only here is the
 * shadow written, never by what goes on after the deadline; what that would have shown is given back. The chain runs
 * last: its answer is counted, so nothing after it may fail.
 */
export async function answerFromStore(
  call: HookCall,
  shadow: ShadowFile,
  { home, userHooks, before }: Surroundings,
): Promise<ChainAnswer> {
  const { postern, agent, event, settings } = call
  const { folder } = before
  const gates = await inTime(settings, postern.hooks.standing({ agent, sessionId: event.sessionId }))
  shadow.write({ ...shadow.read(), folder, gates })
  await inTime(settings, reportBypasses(call, home, before))
  const { bypassed } = forgetBypasses(shadow, before.bypassed)
  const answer = await inTime(settings, runChain(call, userHandlers(userHooks)), (late) =>
    giveBack(call, late, 'the answer came too late'),
  ).finally(() => {
    call.isOver = true
  })
  const { blocks, counted } = shadow.read()
  shadow.write(
    event.name === 'session.end'
      ? { ...NO_SHADOW, folder, bypassed }
      : {
          folder,
          gates,
          // Stops that the store has counted by now are not counted here again.
          blocks: call.uncounted === 0 ? 0 : blocks,
          counted: call.session?.continuations ?? counted,
          bypassed,
        },
  )
  return answer
}
