/** The public list of names. Nothing else is public. */
export { type OpenPostern, openPostern } from './host/open.ts'
export type { Agent, AgentKind } from './model/agent.ts'
export type { Caller } from './model/caller.ts'
export type { Delivery, DeliveryState, InboxMessage, ShownForm, ShownMessage } from './model/delivery.ts'
export { type ErrorCode, PosternError } from './model/errors.ts'
export type { Json } from './model/json.ts'
export type { Limits } from './model/limits.ts'
export type { Attachment, Message, Sender } from './model/message.ts'
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
  OfferRef,
  Postern,
  PushMessage,
  PushRecipient,
  PushResult,
  SearchMessages,
  Sessions,
  ShownInFull,
  Upkeep,
  UpkeepReport,
  WaitForReceipt,
  WaitInbox,
} from './model/postern.ts'
export type { Priority } from './model/priority.ts'
export type { DeliveryTrace, ReceiptStage, ReceiptStep, Trace } from './model/receipt.ts'
export type { Liveness, Session } from './model/session.ts'
export { renderDrain } from './render/drain.ts'
export { renderLines } from './render/lines.ts'
