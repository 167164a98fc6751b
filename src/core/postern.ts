import type { Postern } from '../model/postern.ts'
import { addAgent } from './agents/add.ts'
import { removeAgent } from './agents/remove.ts'
import { listAgents, renameAgent, showAgent } from './agents/roster.ts'
import type { Context } from './context.ts'
import { createDecision } from './decisions/create.ts'
import { awaitDecision, listDecisions, showDecision } from './decisions/look.ts'
import { cancelDecision, respondDecision } from './decisions/respond.ts'
import { checkGate } from './gates/check.ts'
import { createGate } from './gates/create.ts'
import { judgeGates, notePassed } from './gates/judge.ts'
import { listGates, showGate } from './gates/look.ts'
import { resolveGate, waiveGate } from './gates/resolve.ts'
import { markGate, registerGate } from './gates/session-gates.ts'
import { drainInbox } from './inbox/drain.ts'
import { ingestEntries } from './inbox/ingest.ts'
import { listInbox, searchMessages, showMessage } from './inbox/look.ts'
import { ackMessages, cancelMessage, listAside, releaseHeld, retryDead } from './inbox/moves.ts'
import { confirmOffer, confirmSession, markPrinted, releaseOffer } from './inbox/offers.ts'
import { pushMany, pushMessage } from './inbox/push.ts'
import { traceMessage } from './inbox/trace.ts'
import { waitForMail, waitForReceipt } from './inbox/wait.ts'
import { noteEvent, setStop } from './sessions/note.ts'
import { beginSession, endSession, listSessions } from './sessions/sessions.ts'
import { settleAgent } from './sessions/settle.ts'
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
      note: (input) => noteEvent(ctx, input),
      setStop: (input) => setStop(ctx, input),
      settle: (input) => settleAgent(ctx, input),
      list: (input) => listSessions(ctx, input),
    },
    inbox: {
      push: (input) => pushMessage(ctx, input),
      pushMany: (input) => pushMany(ctx, input),
      ingest: (input) => ingestEntries(ctx, input),
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
    gates: {
      create: (input) => createGate(ctx, input),
      list: (input) => listGates(ctx, input),
      show: (input) => showGate(ctx, input),
      check: (input) => checkGate(ctx, input),
      resolve: (input) => resolveGate(ctx, input),
      waive: (input) => waiveGate(ctx, input),
      register: (input) => registerGate(ctx, input),
      mark: (input) => markGate(ctx, input),
      judge: (input) => judgeGates(ctx, input),
      passed: (input) => notePassed(ctx, input),
    },
    decisions: {
      create: (input) => createDecision(ctx, input),
      list: (input) => listDecisions(ctx, input),
      show: (input) => showDecision(ctx, input),
      respond: (input) => respondDecision(ctx, input),
      await: (input) => awaitDecision(ctx, input),
      cancel: (input) => cancelDecision(ctx, input),
    },
    upkeep: {
      run: () => runUpkeep(ctx),
      check: () => checkHealth(ctx),
    },
    close,
  }
}
