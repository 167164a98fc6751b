import type { HookPostern } from '../model/postern.ts'
import type { Context } from './context.ts'
import { judgeGates, notePassed } from './gates/judge.ts'
import { listGates } from './gates/look.ts'
import { markGate } from './gates/session-gates.ts'
import { drainInbox } from './inbox/drain.ts'
import { ingestEntries } from './inbox/ingest.ts'
import { markPrinted, releaseOffer } from './inbox/offers.ts'
import { noteEvent, setStop } from './sessions/note.ts'
import { endSession, listSessions } from './sessions/sessions.ts'
import { settleAgent } from './sessions/settle.ts'
import { runUpkeep } from './upkeep/loops.ts'

/** The few verbs of a hook, which runs at every step of an agent, so that it loads nothing else. */
export function createHookPostern(ctx: Context, close: () => Promise<void>): HookPostern {
  return {
    caller: ctx.caller,
    sessions: {
      note: (input) => noteEvent(ctx, input),
      setStop: (input) => setStop(ctx, input),
      settle: (input) => settleAgent(ctx, input),
      end: (input) => endSession(ctx, input),
      list: (input) => listSessions(ctx, input),
    },
    inbox: {
      ingest: (input) => ingestEntries(ctx, input),
      drain: (input) => drainInbox(ctx, input),
      printed: (input) => markPrinted(ctx, input),
      release: (input) => releaseOffer(ctx, input),
    },
    gates: {
      list: (input) => listGates(ctx, input),
      mark: (input) => markGate(ctx, input),
      judge: (input) => judgeGates(ctx, input),
      passed: (input) => notePassed(ctx, input),
    },
    upkeep: { run: () => runUpkeep(ctx) },
    close,
  }
}
