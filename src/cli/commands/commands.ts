import type { Command } from '../shell/command.ts'
import { completionCommand } from '../shell/completion.ts'
import { agentAdd, agentList, agentRemove, agentRename, agentShow } from './agent/agent.ts'
import { busIssues } from './bus/issues.ts'
import { busDiscover, busList } from './bus/list.ts'
import { busPost } from './bus/post.ts'
import { busRead } from './bus/read.ts'
import { busRotate, busVerify } from './bus/upkeep.ts'
import { busWatch } from './bus/watch.ts'
import { configShow, configTrust } from './config/config.ts'
import { courier } from './courier/courier.ts'
import {
  decisionAwait,
  decisionCancel,
  decisionCheck,
  decisionCreate,
  decisionList,
  decisionRespond,
  decisionShow,
} from './decision/decision.ts'
import { demo } from './demo/demo.ts'
import { doctor } from './doctor/doctor.ts'
import { events } from './events/events.ts'
import { gateForget } from './gate/forget.ts'
import {
  gateCheck,
  gateCreate,
  gateList,
  gateMark,
  gateRegister,
  gateResolve,
  gateShow,
  gateWaive,
} from './gate/gate.ts'
import { handoffClean, handoffInit } from './handoff/folders.ts'
import { handoffInherit } from './handoff/inherit.ts'
import { handoffLeave } from './handoff/leave.ts'
import { handoffList, handoffShow } from './handoff/list.ts'
import { handoffOutboxList, handoffOutboxWrite } from './handoff/outbox.ts'
import { hook } from './hook/hook.ts'
import { inboxDrain } from './inbox/drain.ts'
import {
  inboxAck,
  inboxCancel,
  inboxDeadList,
  inboxDeadRetry,
  inboxHeldList,
  inboxHeldRelease,
  inboxList,
  inboxSearch,
  inboxShow,
  inboxWait,
} from './inbox/inbox.ts'
import { inboxMine } from './inbox/mine.ts'
import { inboxPush } from './inbox/push.ts'
import { inboxSnooze } from './inbox/snooze.ts'
import { init } from './init/init.ts'
import {
  ledgerAccept,
  ledgerConnect,
  ledgerConnections,
  ledgerDisconnect,
  ledgerReject,
  ledgerSay,
} from './ledger/connections.ts'
import { ledgerEmit } from './ledger/emit.ts'
import { ledgerExport } from './ledger/export.ts'
import { ledgerListen } from './ledger/listen.ts'
import { ledgerDrop, ledgerParcels, ledgerRetry } from './ledger/parcels.ts'
import { ledgerProfile } from './ledger/profile.ts'
import { ledgerServe } from './ledger/serve.ts'
import { ledgerSetup, ledgerStatus } from './ledger/status.ts'
import { ledgerRead, ledgerTopicCreate, ledgerTopics } from './ledger/topics.ts'
import { ledgerVerify } from './ledger/verify.ts'
import { mcp } from './mcp/mcp.ts'
import { messageInbox, messageSend } from './message/message.ts'
import { noteList, notePost } from './note/note.ts'
import { planDelete, planList, planPause, planResume, planRun, planSet, planShow } from './plan/plan.ts'
import { run } from './run/run.ts'
import { serve } from './serve/serve.ts'
import {
  serviceCreate,
  serviceEvents,
  serviceList,
  serviceReplay,
  serviceRevoke,
  serviceRotate,
} from './service/service.ts'
import {
  spaceClose,
  spaceCreate,
  spaceEnter,
  spaceHistory,
  spaceJoin,
  spaceLeave,
  spaceList,
  spacePost,
  spaceShow,
} from './space/space.ts'
import { status } from './status/status.ts'
import { watch } from './status/watch.ts'
import { backup, migrate, restore } from './store/store.ts'
import { tokenCreate, tokenList, tokenRevoke } from './token/token.ts'
import { tour } from './tour/tour.ts'
import { trace } from './trace/trace.ts'
import { ui } from './ui/ui.ts'
import { version } from './version/version.ts'
import { wake } from './wake/wake.ts'

/** Every command there is, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  status,
  watch,
  inboxPush,
  inboxDrain,
  inboxList,
  inboxMine,
  inboxShow,
  inboxAck,
  inboxSnooze,
  inboxWait,
  inboxCancel,
  inboxSearch,
  inboxHeldList,
  inboxHeldRelease,
  inboxDeadList,
  inboxDeadRetry,
  agentAdd,
  agentList,
  agentShow,
  agentRename,
  agentRemove,
  gateCreate,
  gateList,
  gateShow,
  gateCheck,
  gateResolve,
  gateWaive,
  gateRegister,
  gateMark,
  gateForget,
  decisionCreate,
  decisionList,
  decisionShow,
  decisionRespond,
  decisionAwait,
  decisionCancel,
  decisionCheck,
  spaceCreate,
  spaceList,
  spaceShow,
  spaceJoin,
  spaceLeave,
  spacePost,
  spaceHistory,
  spaceEnter,
  spaceClose,
  busPost,
  busRead,
  busWatch,
  busDiscover,
  busList,
  busIssues,
  busVerify,
  busRotate,
  handoffInit,
  handoffLeave,
  handoffInherit,
  handoffList,
  handoffShow,
  handoffOutboxWrite,
  handoffOutboxList,
  handoffClean,
  messageSend,
  messageInbox,
  notePost,
  noteList,
  ledgerStatus,
  ledgerSetup,
  ledgerTopics,
  ledgerTopicCreate,
  ledgerRead,
  ledgerVerify,
  ledgerExport,
  ledgerProfile,
  ledgerEmit,
  ledgerConnections,
  ledgerConnect,
  ledgerAccept,
  ledgerReject,
  ledgerDisconnect,
  ledgerSay,
  ledgerParcels,
  ledgerRetry,
  ledgerDrop,
  ledgerListen,
  ledgerServe,
  run,
  planSet,
  planList,
  planShow,
  planDelete,
  planPause,
  planResume,
  planRun,
  serviceCreate,
  serviceList,
  serviceEvents,
  serviceReplay,
  serviceRotate,
  serviceRevoke,
  tokenCreate,
  tokenList,
  tokenRevoke,
  trace,
  events,
  wake,
  courier,
  serve,
  mcp,
  ui,
  hook,
  init,
  doctor,
  migrate,
  backup,
  restore,
  configShow,
  configTrust,
  demo,
  tour,
  completionCommand(() => COMMANDS),
  version,
]
