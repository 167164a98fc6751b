import { lazy } from '../kit/pure/lazy.ts'
import type { AnyMethod } from '../model/nouns.ts'
import type { LocalPostern } from '../model/postern.ts'
import type { Context } from './context.ts'

/** The nouns of a `Postern`, each with its methods. */
type Nouns = Omit<LocalPostern, 'caller' | 'as' | 'once' | 'close'>

/** A verb is the method of the same name on `Postern`, with the context as its first argument. */
type Verb<Method> = Method extends (...input: infer Input) => infer Answer
  ? (ctx: Context, ...input: Input) => Answer
  : never

type VerbTable = {
  readonly [Noun in keyof Nouns]: () => {
    readonly [Name in keyof Nouns[Noun]]: () => Promise<Verb<Nouns[Noun][Name]>>
  }
}

/**
 * Every verb and its file, which is imported with the first call of the verb. `scripts/bundles.mjs` decides which of
 * these files are bundled with a program.
 */
const VERBS: VerbTable = {
  agents: () => ({
    add: async () => (await import('./agents/add.ts')).addAgent,
    list: async () => (await import('./agents/list.ts')).listAgents,
    show: async () => (await import('./agents/list.ts')).showAgent,
    rename: async () => (await import('./agents/add.ts')).renameAgent,
    remove: async () => (await import('./agents/remove.ts')).removeAgent,
  }),
  sessions: () => ({
    begin: async () => (await import('./sessions/begin.ts')).beginSession,
    list: async () => (await import('./sessions/sessions.ts')).listSessions,
    note: async () => (await import('./sessions/note.ts')).noteEvent,
    setStop: async () => (await import('./sessions/note.ts')).setStop,
    end: async () => (await import('./sessions/end.ts')).endSession,
    markQuiet: async () => (await import('./sessions/mark-quiet.ts')).markAgentQuiet,
  }),
  inbox: () => ({
    push: async () => (await import('./inbox/push.ts')).pushMessage,
    pushMany: async () => (await import('./inbox/push.ts')).pushMany,
    ingest: async () => (await import('./inbox/ingest.ts')).ingestEntries,
    list: async () => (await import('./inbox/list.ts')).listInbox,
    search: async () => (await import('./inbox/search.ts')).searchMessages,
    held: async () => (await import('./inbox/moves.ts')).listHeld,
    dead: async () => (await import('./inbox/moves.ts')).listDead,
    drain: async () => (await import('./inbox/drain.ts')).drainInbox,
    read: async () => (await import('./inbox/read-and-snooze.ts')).readMessages,
    ack: async () => (await import('./inbox/moves.ts')).ackMessages,
    snooze: async () => (await import('./inbox/read-and-snooze.ts')).snoozeMessages,
    wait: async () => (await import('./inbox/wait.ts')).waitForMail,
    show: async () => (await import('./inbox/list.ts')).showMessage,
    trace: async () => (await import('./inbox/trace.ts')).traceMessage,
    waitFor: async () => (await import('./inbox/wait.ts')).waitForReceipt,
    cancel: async () => (await import('./inbox/moves.ts')).cancelMessage,
    releaseHeld: async () => (await import('./inbox/moves.ts')).releaseHeld,
    retryDead: async () => (await import('./inbox/moves.ts')).retryDead,
    printed: async () => (await import('./offers/offers.ts')).markPrinted,
    confirm: async () => (await import('./offers/offers.ts')).confirmOffer,
    release: async () => (await import('./offers/offers.ts')).releaseOffer,
    confirmSession: async () => (await import('./offers/offers.ts')).confirmSession,
  }),
  gates: () => ({
    create: async () => (await import('./gates/create.ts')).createGate,
    list: async () => (await import('./gates/list.ts')).listGates,
    judge: async () => (await import('./gates/judge.ts')).judgeGates,
    passed: async () => (await import('./gates/judge.ts')).notePassed,
    show: async () => (await import('./gates/list.ts')).showGate,
    check: async () => (await import('./gates/check.ts')).checkGate,
    resolve: async () => (await import('./gates/resolve.ts')).resolveGate,
    waive: async () => (await import('./gates/resolve.ts')).waiveGate,
    register: async () => (await import('./gates/session-gates.ts')).registerGate,
    mark: async () => (await import('./gates/session-gates.ts')).markGate,
    noteRefusal: async () => (await import('./gates/refusals.ts')).noteRefusal,
  }),
  decisions: () => ({
    create: async () => (await import('./decisions/create.ts')).createDecision,
    list: async () => (await import('./decisions/list.ts')).listDecisions,
    show: async () => (await import('./decisions/list.ts')).showDecision,
    respond: async () => (await import('./decisions/respond.ts')).respondDecision,
    await: async () => (await import('./decisions/await.ts')).awaitDecision,
    cancel: async () => (await import('./decisions/respond.ts')).cancelDecision,
  }),
  spaces: () => ({
    create: async () => (await import('./spaces/create.ts')).createSpace,
    list: async () => (await import('./spaces/list.ts')).listSpaces,
    show: async () => (await import('./spaces/list.ts')).showSpace,
    join: async () => (await import('./spaces/members.ts')).joinSpace,
    leave: async () => (await import('./spaces/members.ts')).leaveSpace,
    close: async () => (await import('./spaces/close.ts')).closeSpace,
    post: async () => (await import('./inbox/post-in-space.ts')).postInSpace,
    history: async () => (await import('./spaces/history.ts')).spaceHistory,
    enter: async () => (await import('./spaces/enter.ts')).enterSpace,
  }),
  plans: () => ({
    set: async () => (await import('./plans/set.ts')).setPlans,
    list: async () => (await import('./plans/list.ts')).listPlans,
    delete: async () => (await import('./plans/moves.ts')).deletePlans,
    show: async () => (await import('./plans/list.ts')).showPlan,
    pause: async () => (await import('./plans/moves.ts')).pausePlan,
    resume: async () => (await import('./plans/moves.ts')).resumePlan,
    run: async () => (await import('./plans/moves.ts')).runPlan,
  }),
  services: () => ({
    create: async () => (await import('./services/register.ts')).createService,
    list: async () => (await import('./services/list.ts')).listServices,
    events: async () => (await import('./services/replay.ts')).serviceEvents,
    replay: async () => (await import('./services/replay.ts')).replayEvent,
    rotate: async () => (await import('./services/register.ts')).rotateService,
    revoke: async () => (await import('./services/register.ts')).revokeService,
    trigger: async () => (await import('./services/trigger.ts')).triggerAgent,
  }),
  tokens: () => ({
    create: async () => (await import('./tokens/tokens.ts')).createToken,
    list: async () => (await import('./tokens/tokens.ts')).listTokens,
    revoke: async () => (await import('./tokens/tokens.ts')).revokeToken,
  }),
  bus: () => ({
    post: async () => (await import('./bus/post.ts')).postEntry,
    read: async () => (await import('./bus/read.ts')).readBus,
    wait: async () => (await import('./bus/wait.ts')).waitForEntries,
    list: async () => (await import('./bus/buses.ts')).listBuses,
    issues: async () => (await import('./bus/issues.ts')).busIssues,
    verify: async () => (await import('./bus/buses.ts')).verifyBus,
    rotate: async () => (await import('./bus/buses.ts')).rotateBus,
  }),
  handoff: () => ({
    init: async () => (await import('./handoff/place.ts')).initHandoff,
    leave: async () => (await import('./handoff/leave.ts')).leaveItem,
    list: async () => (await import('./handoff/list.ts')).listItems,
    show: async () => (await import('./handoff/list.ts')).showItem,
    inherit: async () => (await import('./handoff/inherit.ts')).inheritItems,
    printed: async () => (await import('./handoff/confirm.ts')).markInheritancePrinted,
    confirm: async () => (await import('./handoff/confirm.ts')).confirmInheritance,
    release: async () => (await import('./handoff/confirm.ts')).releaseInheritance,
    writeOut: async () => (await import('./handoff/out.ts')).writeOut,
    listOut: async () => (await import('./handoff/out.ts')).listOut,
    clean: async () => (await import('./handoff/clean.ts')).cleanItems,
  }),
  messages: () => ({
    send: async () => (await import('./ledger/messages/send.ts')).sendMessage,
    sendInbox: async () => (await import('./ledger/messages/send.ts')).sendInbox,
  }),
  notes: () => ({
    post: async () => (await import('./ledger/work/notes.ts')).postNote,
    list: async () => (await import('./ledger/work/notes.ts')).listNotes,
  }),
  ledger: () => ({
    status: async () => (await import('./ledger/status.ts')).ledgerStatus,
    setup: async () => (await import('./ledger/identities/setup.ts')).setupLedger,
    topics: async () => (await import('./ledger/topics.ts')).listTopics,
    createTopic: async () => (await import('./ledger/topics.ts')).createWorkTopic,
    read: async () => (await import('./ledger/topics.ts')).readTopic,
    verify: async () => (await import('./ledger/topics.ts')).verifyTopic,
    profile: async () => (await import('./ledger/identities/profile.ts')).showProfile,
    setProfile: async () => (await import('./ledger/identities/profile.ts')).setProfile,
    emit: async () => (await import('./ledger/work/emit.ts')).emitEvent,
    connections: async () => (await import('./ledger/connections.ts')).listConnections,
    connect: async () => (await import('./ledger/connections.ts')).connectOutsider,
    accept: async () => (await import('./ledger/connections.ts')).acceptConnection,
    reject: async () => (await import('./ledger/connections.ts')).rejectConnection,
    disconnect: async () => (await import('./ledger/connections.ts')).disconnect,
    say: async () => (await import('./ledger/connections.ts')).sayOnConnection,
    parcels: async () => (await import('./ledger/parcels.ts')).listParcels,
    retry: async () => (await import('./ledger/parcels.ts')).retryParcel,
    drop: async () => (await import('./ledger/parcels.ts')).dropParcel,
  }),
  events: () => ({
    list: async () => (await import('./events/list.ts')).listEvents,
    wait: async () => (await import('./events/wait.ts')).waitForEvents,
  }),
  metrics: () => ({
    series: async () => (await import('./metrics/series.ts')).metricSeries,
  }),
  upkeep: () => ({
    run: async () => (await import('./upkeep/jobs.ts')).runUpkeep,
    check: async () => (await import('./upkeep/check.ts')).checkHealth,
  }),
  hooks: () => ({
    drain: async () => (await import('./inbox/drain.ts')).drainInbox,
    judge: async () => (await import('./gates/gated.ts')).judgeForHook,
    passed: async () => (await import('./gates/judge.ts')).notePassedByHook,
    standing: async () => (await import('./gates/standing.ts')).standingGates,
    hasInherited: async () => (await import('./handoff/confirm.ts')).hasInherited,
    isTold: async () => (await import('./handoff/told.ts')).isToldOfNothing,
    settleInheritances: async () => (await import('./handoff/confirm.ts')).settleInheritances,
  }),
}

type AnyVerb = (ctx: Context, input?: unknown) => Promise<unknown>
type AnyTable = Readonly<Record<string, () => Readonly<Record<string, () => Promise<AnyVerb>>>>>

const TABLE = VERBS as unknown as AnyTable

/** Builds the nouns of a `Postern`. The methods of a noun are built on first use, because most programs use few nouns. */
export function bindVerbs(bind: (noun: string, verb: string) => AnyMethod): Nouns {
  const nouns = {}
  for (const noun of Object.keys(TABLE)) {
    const make = lazy(() =>
      Object.fromEntries(Object.keys(TABLE[noun]?.() ?? {}).map((verb) => [verb, bind(noun, verb)])),
    )
    Object.defineProperty(nouns, noun, { get: make, enumerable: true })
  }
  return nouns as Nouns
}

const loaded = new Map<string, AnyVerb>()

export async function callVerb(noun: string, verb: string, ctx: Context, input: unknown): Promise<unknown> {
  const name = `${noun}.${verb}`
  const known = loaded.get(name)
  if (known) return known(ctx, input)
  const load = TABLE[noun]?.()[verb]
  if (!load) throw new Error(`there is no verb ${name}`)
  const call = await load()
  loaded.set(name, call)
  return call(ctx, input)
}
