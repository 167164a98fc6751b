import type { Postern } from '../model/postern.ts'
import { addAgent } from './agents/add.ts'
import { listAgents, removeAgent, renameAgent, showAgent } from './agents/roster.ts'
import type { Context } from './context.ts'
import { drainInbox } from './inbox/drain.ts'
import { listInbox, searchMessages, showMessage } from './inbox/look.ts'
import { ackMessages, cancelMessage, listAside, releaseHeld, retryDead } from './inbox/moves.ts'
import { confirmOffer, confirmSession, markPrinted, releaseOffer } from './inbox/offers.ts'
import { pushMany, pushMessage } from './inbox/push.ts'
import { traceMessage } from './inbox/trace.ts'
import { waitForMail, waitForReceipt } from './inbox/wait.ts'
import { beginSession, endSession, listSessions } from './sessions/sessions.ts'
import { checkHealth } from './upkeep/check.ts'
import { runUpkeep } from './upkeep/loops.ts'

/** Binds the verbs to a context: the embodiment of `Postern` whose heart runs in this process. */
export function createPostern(ctx: Context, close: () => Promise<void>): Postern {
  return {
    caller: ctx.caller,
    as: (caller) => createPostern({ ...ctx, caller }, close),
    agents: {
      add: (input) => addAgent(ctx, input),
      list: (input) => listAgents(ctx, input),
      show: (input) => showAgent(ctx, input),
      rename: (input) => renameAgent(ctx, input),
      remove: (input) => removeAgent(ctx, input),
    },
    sessions: {
      begin: (input) => beginSession(ctx, input),
      end: (input) => endSession(ctx, input),
      list: (input) => listSessions(ctx, input),
    },
    inbox: {
      push: (input) => pushMessage(ctx, input),
      pushMany: (input) => pushMany(ctx, input),
      list: (input) => listInbox(ctx, input),
      show: (input) => showMessage(ctx, input),
      drain: (input) => drainInbox(ctx, input),
      printed: (input) => markPrinted(ctx, input),
      confirm: (input) => confirmOffer(ctx, input),
      release: (input) => releaseOffer(ctx, input),
      confirmSession: (input) => confirmSession(ctx, input),
      ack: (input) => ackMessages(ctx, input),
      wait: (input) => waitForMail(ctx, input),
      waitFor: (input) => waitForReceipt(ctx, input),
      cancel: (input) => cancelMessage(ctx, input),
      trace: (input) => traceMessage(ctx, input),
      search: (input) => searchMessages(ctx, input),
      held: (input) => listAside(ctx, 'held', input),
      releaseHeld: (input) => releaseHeld(ctx, input),
      dead: (input) => listAside(ctx, 'dead', input),
      retryDead: (input) => retryDead(ctx, input),
    },
    upkeep: {
      run: () => runUpkeep(ctx),
      check: () => checkHealth(ctx),
    },
    close,
  }
}
