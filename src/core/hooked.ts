import type { Judgement } from '../model/gates.ts'
import type { HookPostern } from '../model/postern.ts'
import type { Context } from './context.ts'
import { drainInbox } from './inbox/drain.ts'
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
      ingest: async (input) => (await import('./inbox/ingest.ts')).ingestEntries(ctx, input),
      drain: (input) => drainInbox(ctx, input),
      printed: (input) => markPrinted(ctx, input),
      release: (input) => releaseOffer(ctx, input),
    },
    gates: {
      standing: async (input) => ((await isGated(ctx, input)) ? (await verbs()).standingGates(ctx, input) : []),
      judge: async (input) => ((await isGated(ctx, input)) ? (await verbs()).judgeGates(ctx, input) : NO_GATES),
      mark: async (input) => (await verbs()).markGate(ctx, input),
      passed: async (input) => (await verbs()).notePassed(ctx, input),
    },
    handoff: {
      inherit: async (input) => (await handoff()).inheritItems(ctx, input),
      printed: async (input) => (await handoff()).markInheritancePrinted(ctx, input),
      release: async (input) => (await handoff()).releaseInheritance(ctx, input),
      hasInherited: async (input) => (await ctx.store.read.sessions.inheritedAt(input)) !== undefined,
      isTold: async (input) => (await handoff()).isToldOfNothing(ctx, input),
      // Most sessions have confirmed theirs long ago, or have none.
      settle: async (input) => {
        if ((await ctx.store.read.sessions.inheritedAt(input)) === 0)
          await (await handoff()).settleInheritances(ctx, input)
      },
    },
    upkeep: { run: () => runUpkeep(ctx) },
    close,
  }
}

const NO_GATES: Judgement = { strict: [], soft: [] }

/** Most agents have no gate at most times. */
async function isGated(ctx: Context, gated: { readonly agent: string; readonly sessionId: string }): Promise<boolean> {
  return ctx.sessionGates.length > 0 || ctx.store.read.sessions.isGated(gated)
}

function handoff(): Promise<typeof import('./handoff/handoff-verbs.ts')> {
  return import('./handoff/handoff-verbs.ts')
}

function verbs(): Promise<typeof import('./gates/hook-verbs.ts')> {
  return import('./gates/hook-verbs.ts')
}
