import { openOrConnect } from '../host/open.ts'
import { EXIT, PosternError } from '../model/errors.ts'
import { agentAdd, agentList, agentRemove, agentRename, agentShow } from './commands/agent/agent.ts'
import { busIssues } from './commands/bus/issues.ts'
import { busDiscover, busList } from './commands/bus/look.ts'
import { busPost } from './commands/bus/post.ts'
import { busRead } from './commands/bus/read.ts'
import { busRotate, busVerify } from './commands/bus/upkeep.ts'
import { busWatch } from './commands/bus/watch.ts'
import { configShow, configTrust } from './commands/config/config.ts'
import { courier } from './commands/courier/courier.ts'
import {
  decisionAwait,
  decisionCancel,
  decisionCheck,
  decisionCreate,
  decisionList,
  decisionRespond,
  decisionShow,
} from './commands/decision/decision.ts'
import { demo } from './commands/demo/demo.ts'
import { doctor } from './commands/doctor/doctor.ts'
import { events } from './commands/events/events.ts'
import {
  gateCheck,
  gateCreate,
  gateList,
  gateMark,
  gateRegister,
  gateResolve,
  gateShow,
  gateWaive,
} from './commands/gate/gate.ts'
import { handoffClean, handoffInit } from './commands/handoff/folders.ts'
import { handoffInherit } from './commands/handoff/inherit.ts'
import { handoffLeave } from './commands/handoff/leave.ts'
import { handoffList, handoffShow } from './commands/handoff/look.ts'
import { handoffOutboxList, handoffOutboxWrite } from './commands/handoff/outbox.ts'
import { hook } from './commands/hook.ts'
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
} from './commands/inbox/inbox.ts'
import { inboxMine } from './commands/inbox/mine.ts'
import { inboxSnooze } from './commands/inbox/snooze.ts'
import { inboxDrainStyled } from './commands/inbox-drain-styled.ts'
import { inboxPushAndWait } from './commands/inbox-push-wait.ts'
import { init } from './commands/init/init.ts'
import {
  ledgerAccept,
  ledgerConnect,
  ledgerConnections,
  ledgerDisconnect,
  ledgerReject,
  ledgerSay,
} from './commands/ledger/connections.ts'
import { ledgerEmit } from './commands/ledger/emit.ts'
import { ledgerExport } from './commands/ledger/export.ts'
import { ledgerListen } from './commands/ledger/listen.ts'
import { ledgerDrop, ledgerParcels, ledgerRetry } from './commands/ledger/parcels.ts'
import { ledgerProfile } from './commands/ledger/profile.ts'
import { ledgerServe } from './commands/ledger/serve.ts'
import { ledgerSetup, ledgerStatus } from './commands/ledger/status.ts'
import { ledgerRead, ledgerTopicCreate, ledgerTopics } from './commands/ledger/topics.ts'
import { ledgerVerify } from './commands/ledger/verify.ts'
import { mcp } from './commands/mcp/mcp.ts'
import { messageInbox, messageSend } from './commands/message/message.ts'
import { noteList, notePost } from './commands/note/note.ts'
import { planDelete, planList, planPause, planResume, planRun, planSet, planShow } from './commands/plan/plan.ts'
import { run } from './commands/run/run.ts'
import { serve } from './commands/serve/serve.ts'
import {
  serviceCreate,
  serviceEvents,
  serviceList,
  serviceReplay,
  serviceRevoke,
  serviceRotate,
} from './commands/service/service.ts'
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
} from './commands/space/space.ts'
import { status } from './commands/status/status.ts'
import { watch } from './commands/status/watch.ts'
import { backup, migrate } from './commands/store/store.ts'
import { tokenCreate, tokenList, tokenRevoke } from './commands/token/token.ts'
import { tour } from './commands/tour/tour.ts'
import { trace } from './commands/trace/trace.ts'
import { ui } from './commands/ui/ui.ts'
import { version } from './commands/version/version.ts'
import { wake } from './commands/wake/wake.ts'
import type { Command } from './shell/command.ts'
import { endOptions } from './shell/command-line.ts'
import { completionCommand } from './shell/completion.ts'
import { helpFor, overview } from './shell/help.ts'
import { parseArgs } from './shell/parse.ts'
import { asksForJson, printLine, report, runCommand } from './shell/run-command.ts'
import { nearest } from './shell/suggest.ts'

/** Every command there is, in the order in which help lists them. */
export const COMMANDS: readonly Command[] = [
  status,
  watch,
  inboxPushAndWait,
  inboxDrainStyled,
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
  configShow,
  configTrust,
  demo,
  tour,
  completionCommand(() => COMMANDS),
  version,
]

const MAX_WORDS = 3

/** Finds the command that the words name, and runs it or explains it. */
export async function runMain(argv: readonly string[]): Promise<number> {
  const isAboutHelp = argv[0] === 'help'
  const words = isAboutHelp ? argv.slice(1) : argv
  const command = findCommand(words)
  if (command) {
    const typed = words.slice(command.path.split(' ').length)
    const rest = command.takesCommand ? endOptions(command, typed) : typed
    return isAboutHelp || asksForHelp(command, rest) ? show(helpFor(command)) : runCommand(command, rest, openOrConnect)
  }
  if (words.length === 1 && words[0] === '--version') return runCommand(version, [], openOrConnect)

  const [noun] = words
  if (noun === undefined || isHelp(noun)) return show(overview(COMMANDS))
  const isGroup = (group: string) => COMMANDS.some(({ path }) => path.startsWith(`${group} `))
  const helpAt = words.findIndex(isHelp)
  const group = (helpAt < 0 ? words : words.slice(0, helpAt)).join(' ')
  if (isGroup(group)) return show(overview(COMMANDS, group))
  return report(unknownCommand(words, isGroup(noun) ? noun : undefined), asksForJson(words))
}

function isHelp(word: string): boolean {
  return word === '--help' || word === '-h'
}

/** Help is asked for by an option of the command; the same letters as its text are just text. */
function asksForHelp(command: Command, words: readonly string[]): boolean {
  try {
    return parseArgs(command, words).has('help')
  } catch {
    return false
  }
}

/** The longest path that the words begin with. */
function findCommand(words: readonly string[]): Command | undefined {
  for (let length = MAX_WORDS; length > 0; length--) {
    const path = words.slice(0, length).join(' ')
    const command = COMMANDS.find((each) => each.path === path)
    if (command) return command
  }
  return undefined
}

/** Only words that look like commands are repeated: others may be secrets. */
function unknownCommand(words: readonly string[], noun: string | undefined): PosternError {
  if (words[0]?.startsWith('-')) {
    return new PosternError('USAGE', {
      message: 'The command comes first, options follow it.',
      next: 'See "postern help".',
    })
  }
  const typed = words
    .slice(0, 2)
    .filter((word) => /^[a-z-]{1,20}$/.test(word))
    .join(' ')
  const paths = COMMANDS.map(({ path }) => path)
  const near = nearest(typed, paths) ?? nearest(typed, [...new Set(paths.map((path) => path.split(' ')[0] ?? ''))])
  return new PosternError('USAGE', {
    message: `There is no command "${typed}".`,
    next: near ? `Did you mean "postern ${near}"?` : `See "postern ${noun ? `help ${noun}` : 'help'}".`,
  })
}

function show(text: string): number {
  printLine(text)
  return EXIT.ok
}
