import type { Postern } from '../model/postern.ts'
import { addAgent } from './agents/add.ts'
import { removeAgent } from './agents/remove.ts'
import { listAgents, renameAgent, showAgent } from './agents/roster.ts'
import { busIssues, listBuses, rotateBus, verifyBus } from './bus/look.ts'
import { postEntry } from './bus/post.ts'
import { readBus } from './bus/read.ts'
import { waitForEntries } from './bus/wait.ts'
import type { Context } from './context.ts'
import { createDecision } from './decisions/create.ts'
import { awaitDecision, listDecisions, showDecision } from './decisions/look.ts'
import { cancelDecision, respondDecision } from './decisions/respond.ts'
import { listEvents } from './events/list.ts'
import { waitForEvents } from './events/wait.ts'
import { checkGate } from './gates/check.ts'
import { createGate } from './gates/create.ts'
import { judgeGates, notePassed } from './gates/judge.ts'
import { listGates, showGate } from './gates/look.ts'
import { resolveGate, waiveGate } from './gates/resolve.ts'
import { markGate, registerGate } from './gates/session-gates.ts'
import { cleanItems } from './handoff/clean.ts'
import { confirmInheritance, markInheritancePrinted, releaseInheritance } from './handoff/confirm.ts'
import { inheritItems } from './handoff/inherit.ts'
import { leaveItem } from './handoff/leave.ts'
import { listItems, showItem } from './handoff/look.ts'
import { listOut, writeOut } from './handoff/out.ts'
import { initHandoff } from './handoff/place.ts'
import { drainInbox } from './inbox/drain.ts'
import { ingestEntries } from './inbox/ingest.ts'
import { listInbox, searchMessages, showMessage } from './inbox/look.ts'
import { ackMessages, cancelMessage, listAside, releaseHeld, retryDead } from './inbox/moves.ts'
import { confirmOffer, confirmSession, markPrinted, releaseOffer } from './inbox/offers.ts'
import { pushMany, pushMessage } from './inbox/push.ts'
import { readMessages, snoozeMessages } from './inbox/read-and-snooze.ts'
import { traceMessage } from './inbox/trace.ts'
import { ownOffer } from './inbox/visible.ts'
import { waitForMail, waitForReceipt } from './inbox/wait.ts'
import { createLedgerRooms } from './ledger/ledger-rooms.ts'
import { metricSeries } from './metrics/series.ts'
import { doneOnce } from './once.ts'
import { listPlans, showPlan } from './plans/look.ts'
import { deletePlans, pausePlan, resumePlan, runPlan } from './plans/moves.ts'
import { setPlans } from './plans/set.ts'
import { listServices } from './services/look.ts'
import { createService, revokeService, rotateService } from './services/register.ts'
import { replayEvent, serviceEvents } from './services/replay.ts'
import { triggerAgent } from './services/trigger.ts'
import { noteEvent, setStop } from './sessions/note.ts'
import { beginSession, endSession, listSessions } from './sessions/sessions.ts'
import { settleAgent } from './sessions/settle.ts'
import { closeSpace } from './spaces/close.ts'
import { createSpace } from './spaces/create.ts'
import { enterSpace } from './spaces/enter.ts'
import { listSpaces, showSpace, spaceHistory } from './spaces/look.ts'
import { joinSpace, leaveSpace } from './spaces/members.ts'
import { postInSpace } from './spaces/post.ts'
import { createToken, listTokens, revokeToken } from './tokens/tokens.ts'
import { checkHealth } from './upkeep/check.ts'
import { runUpkeep } from './upkeep/loops.ts'

/** Binds the verbs to a context: the embodiment of `Postern` whose heart runs in this process. */
export function createPostern(ctx: Context, close: () => Promise<void>): Postern {
  return {
    caller: ctx.caller,
    as: (caller) => createPostern({ ...ctx, caller }, close),
    once: (key) => doneOnce(ctx, createPostern(ctx, close), key),
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
      printed: async (input) => markPrinted(ctx, await ownOffer(ctx, input)),
      confirm: async (input) => confirmOffer(ctx, await ownOffer(ctx, input)),
      release: async (input) => releaseOffer(ctx, await ownOffer(ctx, input)),
      confirmSession: (input) => confirmSession(ctx, input),
      read: (input) => readMessages(ctx, input),
      ack: (input) => ackMessages(ctx, input),
      snooze: (input) => snoozeMessages(ctx, input),
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
    spaces: {
      create: (input) => createSpace(ctx, input),
      list: (input) => listSpaces(ctx, input),
      show: (input) => showSpace(ctx, input),
      join: (input) => joinSpace(ctx, input),
      leave: (input) => leaveSpace(ctx, input),
      close: (input) => closeSpace(ctx, input),
      post: (input) => postInSpace(ctx, input),
      history: (input) => spaceHistory(ctx, input),
      enter: (input) => enterSpace(ctx, input),
    },
    services: {
      create: (input) => createService(ctx, input),
      list: (input) => listServices(ctx, input),
      events: (input) => serviceEvents(ctx, input),
      replay: (input) => replayEvent(ctx, input),
      rotate: (input) => rotateService(ctx, input),
      revoke: (input) => revokeService(ctx, input),
      trigger: (input) => triggerAgent(ctx, input),
    },
    tokens: {
      create: (input) => createToken(ctx, input),
      list: (input) => listTokens(ctx, input),
      revoke: (input) => revokeToken(ctx, input),
    },
    plans: {
      set: (input) => setPlans(ctx, input),
      list: (input) => listPlans(ctx, input),
      show: (input) => showPlan(ctx, input),
      delete: (input) => deletePlans(ctx, input),
      pause: (input) => pausePlan(ctx, input),
      resume: (input) => resumePlan(ctx, input),
      run: (input) => runPlan(ctx, input),
    },
    bus: {
      post: (input) => postEntry(ctx, input),
      read: (input) => readBus(ctx, input),
      wait: (input) => waitForEntries(ctx, input),
      list: (input) => listBuses(ctx, input),
      issues: (input) => busIssues(ctx, input),
      verify: (input) => verifyBus(ctx, input),
      rotate: (input) => rotateBus(ctx, input),
    },
    handoff: {
      init: (input) => initHandoff(ctx, input),
      leave: (input) => leaveItem(ctx, input),
      inherit: (input) => inheritItems(ctx, input),
      printed: (input) => markInheritancePrinted(ctx, input),
      confirm: (input) => confirmInheritance(ctx, input),
      release: (input) => releaseInheritance(ctx, input),
      list: (input) => listItems(ctx, input),
      show: (input) => showItem(ctx, input),
      writeOut: (input) => writeOut(ctx, input),
      listOut: (input) => listOut(ctx, input),
      clean: (input) => cleanItems(ctx, input),
    },
    ...createLedgerRooms(ctx),
    events: {
      list: (input) => listEvents(ctx, input),
      wait: (input) => waitForEvents(ctx, input),
    },
    metrics: {
      series: (input) => metricSeries(ctx, input),
    },
    upkeep: {
      run: () => runUpkeep(ctx),
      check: () => checkHealth(ctx),
    },
    close,
  }
}
