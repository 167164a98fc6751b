/** The public list of names. Nothing else is public. */

export type { AgentBatch } from './agent/batch.ts'
export { type AgentOptions, type AgentRuntime, agent, type BatchFailure } from './agent/runtime.ts'
export type { AgentPostern } from './agent/source.ts'
export type { BusNews, ConnectedPostern, ConnectPostern, FollowBus, FollowEvents } from './client/connect.ts'
export { type OpenPostern, openPostern } from './host/open/open.ts'
export { connectPostern } from './host/serving/node-client.ts'
export type { Agent, AgentKind } from './model/agent.ts'
export type {
  Bus,
  BusFault,
  BusPage,
  BusRotation,
  BusStatus,
  BusVerification,
  NewAttachment,
  PostEntry,
  PostedEntry,
  ReadBus,
  RotateBus,
  WaitForEntries,
} from './model/bus/bus.ts'
export type { BusAttachment, BusEntry, BusLink, BusMeta, BusParent, BusPlace } from './model/bus/entry.ts'
export type { BusIssue, IssueGraph, IssueRelation } from './model/bus/issue.ts'
export type { Caller } from './model/caller.ts'
export type { Decision, DecisionAnswer, DecisionOption, DecisionState } from './model/decision.ts'
export type { CreateDecision, DecisionRef, Decisions, RespondDecision } from './model/decisions.ts'
export type { Delivery, DeliveryState, InboxMessage, ShownForm, ShownMessage } from './model/delivery.ts'
export { type ErrorCode, PosternError } from './model/errors.ts'
export type {
  Gate,
  GateHook,
  GateKind,
  GateMode,
  GateState,
  GateStep,
  SessionGate,
  SessionGateRule,
  UnavailablePolicy,
} from './model/gate.ts'
export type {
  CreateGate,
  Finding,
  GateInFull,
  GateRef,
  Gates,
  JudgeGates,
  Judgement,
  PassedGates,
  RegisterGate,
} from './model/gates.ts'
export type {
  Handoff,
  HandoffFolders,
  HandoffListing,
  HandoffPlace,
  Headline,
  Inheritance,
  InheritanceRef,
  Inherited,
  InheritItems,
  LeaveItem,
  LeftItem,
  ListedItem,
  OutboxFile,
  WriteOut,
} from './model/handoff/handoff.ts'
export type { HandoffItem, ItemPriority, ItemRef, ItemType, RefusedFile } from './model/handoff/item.ts'
export type { IngestEntries, IngestEntry, Ingested } from './model/ingest.ts'
export type { Json } from './model/json.ts'
export type { ConnectionState, LedgerConnection } from './model/ledger/connection.ts'
export type { EntryChunk, LedgerEntry } from './model/ledger/entry.ts'
export type { LedgerIdentity } from './model/ledger/identity.ts'
export type {
  CreatedTopic,
  EmitEvent,
  LedgerDesk,
  LedgerLabel,
  LedgerProfile,
  LedgerSetup,
  LedgerStatus,
  ListNotes,
  Messages,
  Note,
  NotePage,
  Notes,
  PostedNote,
  PostNote,
  PublishMode,
  ReadTopic,
  Said,
  SendMessage,
  SentMessage,
  SentMessages,
  SetProfile,
  TopicPage,
  Verified,
  VerifyMark,
} from './model/ledger/ledgers.ts'
export type { LedgerParcel, ParcelDraft, ParcelPurpose, ParcelState, ParcelStep } from './model/ledger/parcel.ts'
export type { SeedPriority } from './model/ledger/seed-priority.ts'
export type { LedgerTopic, TopicRole } from './model/ledger/topic.ts'
export type { EntityType, RefType } from './model/ledger/work-item.ts'
export type { Limits } from './model/limits.ts'
export type { Attachment, Message, Sender } from './model/message.ts'
export type { AgentTokens, MetricSeries, Metrics, MetricWindow, Percentiles } from './model/metrics.ts'
export type { EventFilter, PosternEvent } from './model/network/event.ts'
export type { EventPage, Events, ListEvents, WaitEvents } from './model/network/events.ts'
export type { Scope, ScopeKind, Token } from './model/network/token.ts'
export type { CreateToken, NewToken, Tokens } from './model/network/tokens.ts'
export type { TraceContext } from './model/network/trace-context.ts'
export type { Offer } from './model/offer.ts'
export type {
  AckMessages,
  AckResult,
  AddAgent,
  AgentStatus,
  Agents,
  BeginSession,
  ConfirmSession,
  DeliveryRef,
  Drained,
  DrainInbox,
  HealthCheck,
  HealthReport,
  Inbox,
  InboxPage,
  ListAgents,
  ListInbox,
  NotedEvent,
  NoteEvent,
  OfferRef,
  PickMessages,
  Postern,
  PrintedOffer,
  PushMessage,
  PushRecipient,
  PushResult,
  SearchMessages,
  Sessions,
  ShownInFull,
  SnoozeMessages,
  StopOutcome,
  Upkeep,
  UpkeepReport,
  WaitForReceipt,
  WaitInbox,
} from './model/postern.ts'
export type { Priority } from './model/priority.ts'
export type { DeliveryTrace, ReceiptStage, ReceiptStep, Trace } from './model/receipt.ts'
export type { Liveness, Session } from './model/session.ts'
export {
  type InboxEvent,
  type PlainMessageEvent,
  type PlanEvent,
  type SenderType,
  type ServiceEvent,
  type SpaceMessageEvent,
  toInboxEvent,
} from './model/sources/inbox-event.ts'
export type { MissedPolicy, Plan } from './model/sources/plan.ts'
export type {
  ChangePlan,
  DeletePlans,
  FiredPlan,
  ListPlans,
  PlanInFull,
  PlanRef,
  Plans,
  SetPlan,
} from './model/sources/plans.ts'
export type { Service } from './model/sources/service.ts'
export type {
  CreateService,
  NewService,
  ServiceRef,
  Services,
  TriggerAgent,
  Triggered,
  TriggerProof,
} from './model/sources/services.ts'
export type { Space, SpaceMember, SpacePost } from './model/sources/space.ts'
export type {
  CreateSpace,
  EnteredSpace,
  EnterSpace,
  Posted,
  PostInSpace,
  PostPage,
  SpaceHistory,
  SpaceInFull,
  SpaceMembership,
  SpaceRef,
  SpaceStatus,
  Spaces,
} from './model/sources/spaces.ts'
export { renderDrain } from './render/drain.ts'
export { renderInheritance } from './render/handoff.ts'
export { renderLines } from './render/lines.ts'
