import { openOrConnect } from '../host/open.ts'
import { EXIT, PosternError } from '../model/errors.ts'
import type { Command } from './command.ts'
import { endOptions } from './command-line.ts'
import { agentAdd, agentList, agentRemove, agentRename, agentShow } from './commands/agent.ts'
import { busIssues } from './commands/bus/issues.ts'
import { busDiscover, busList } from './commands/bus/look.ts'
import { busPost } from './commands/bus/post.ts'
import { busRead } from './commands/bus/read.ts'
import { busRotate, busVerify } from './commands/bus/upkeep.ts'
import { busWatch } from './commands/bus/watch.ts'
import { configShow, configTrust } from './commands/config.ts'
import {
  decisionAwait,
  decisionCancel,
  decisionCheck,
  decisionCreate,
  decisionList,
  decisionRespond,
  decisionShow,
} from './commands/decision.ts'
import { doctor } from './commands/doctor.ts'
import { events } from './commands/events.ts'
import {
  gateCheck,
  gateCreate,
  gateList,
  gateMark,
  gateRegister,
  gateResolve,
  gateShow,
  gateWaive,
} from './commands/gate.ts'
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
} from './commands/inbox.ts'
import { inboxDrainStyled } from './commands/inbox-drain-styled.ts'
import { inboxPushAndWait } from './commands/inbox-push-wait.ts'
import { init } from './commands/init.ts'
import { planDelete, planList, planPause, planResume, planRun, planSet, planShow } from './commands/plan.ts'
import { run } from './commands/run.ts'
import { serve } from './commands/serve.ts'
import {
  serviceCreate,
  serviceEvents,
  serviceList,
  serviceReplay,
  serviceRevoke,
  serviceRotate,
} from './commands/service.ts'
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
} from './commands/space.ts'
import { tokenCreate, tokenList, tokenRevoke } from './commands/token.ts'
import { tour } from './commands/tour.ts'
import { trace } from './commands/trace.ts'
import { backup, migrate } from './commands/upkeep.ts'
import { version } from './commands/version.ts'
import { wake } from './commands/wake.ts'
import { completionCommand } from './completion.ts'
import { courier } from './courier/courier.ts'
import { demo } from './demo/demo.ts'
import { inboxSnooze } from './desk/snooze.ts'
import { status } from './desk/status.ts'
import { watch } from './desk/watch.ts'
import { helpFor, overview } from './help.ts'
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
import { inboxMine } from './ledger/inbox-mine.ts'
import { ledgerListen } from './ledger/listen.ts'
import { messageInbox, messageSend } from './ledger/message.ts'
import { noteList, notePost } from './ledger/note.ts'
import { ledgerDrop, ledgerParcels, ledgerRetry } from './ledger/parcels.ts'
import { ledgerProfile } from './ledger/profile.ts'
import { ledgerServe } from './ledger/serve.ts'
import { ledgerSetup, ledgerStatus } from './ledger/status.ts'
import { ledgerRead, ledgerTopicCreate, ledgerTopics } from './ledger/topics.ts'
import { ledgerVerify } from './ledger/verify.ts'
import { mcp } from './mcp/mcp.ts'
import { ui } from './page/ui.ts'
import { parseArgs } from './parse.ts'
import { asksForJson, printLine, report, runCommand } from './run.ts'
import { nearest } from './suggest.ts'

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
