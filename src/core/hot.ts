import type { HotPostern } from '../model/postern.ts'
import { showAgent } from './agents/roster.ts'
import type { Context } from './context.ts'
import { drainInbox } from './inbox/drain.ts'
import { confirmOffer, releaseOffer } from './inbox/offers.ts'
import { pushMessage } from './inbox/push.ts'
import { listSessions } from './sessions/sessions.ts'
import { runUpkeep } from './upkeep/loops.ts'

/** The few verbs of the commands that run thousands of times a day, so that those load nothing else. */
export function createHotPostern(ctx: Context, close: () => Promise<void>): HotPostern {
  return {
    caller: ctx.caller,
    as: (caller) => createHotPostern({ ...ctx, caller }, close),
    agents: { show: (input) => showAgent(ctx, input) },
    sessions: { list: (input) => listSessions(ctx, input) },
    inbox: {
      push: (input) => pushMessage(ctx, input),
      // Few drains find a spool with anything in it.
      ingest: async (input) => (await import('./inbox/ingest.ts')).ingestEntries(ctx, input),
      drain: (input) => drainInbox(ctx, input),
      confirm: (input) => confirmOffer(ctx, input),
      release: (input) => releaseOffer(ctx, input),
    },
    upkeep: { run: () => runUpkeep(ctx) },
    close,
  }
}
