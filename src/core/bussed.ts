import type { BusPostern } from '../model/postern.ts'
import { showAgent } from './agents/roster.ts'
import { postEntry } from './bus/post.ts'
import { readBus } from './bus/read.ts'
import type { Context } from './context.ts'
import { listSessions } from './sessions/sessions.ts'
import { runUpkeep } from './upkeep/loops.ts'

/** The few verbs of the commands by which agents talk on a bus, so that those load nothing else. */
export function createBusPostern(ctx: Context, close: () => Promise<void>): BusPostern {
  return {
    caller: ctx.caller,
    as: (caller) => createBusPostern({ ...ctx, caller }, close),
    agents: { show: (input) => showAgent(ctx, input) },
    sessions: { list: (input) => listSessions(ctx, input) },
    bus: {
      post: (input) => postEntry(ctx, input),
      read: (input) => readBus(ctx, input),
    },
    upkeep: { run: () => runUpkeep(ctx) },
    close,
  }
}
