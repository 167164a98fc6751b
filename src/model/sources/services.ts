import type { InboxMessage } from '../delivery.ts'
import type { Json } from '../json.ts'
import type { TraceContext } from '../network/trace-context.ts'
import type { Priority } from '../priority.ts'
import type { Service } from './service.ts'

export interface Services {
  /** Registers an outside system for one agent. Its key is shown this once. */
  create(input: CreateService): Promise<NewService>
  list(input?: { readonly agent?: string; readonly revoked?: boolean }): Promise<readonly Service[]>
  /** The last events of a service, newest first, as far as its agent has them. */
  events(input: ServiceRef & { readonly limit?: number }): Promise<readonly InboxMessage[]>
  /** Brings an earlier event to the agent once more, as a message of its own that says so. */
  replay(input: ServiceRef & { readonly eventId: string }): Promise<Triggered>
  /** Gives it a new key; the one before stays good for a while. */
  rotate(input: ServiceRef & { readonly overlapMs?: number }): Promise<NewService>
  /** Its keys are worth nothing from now on. */
  revoke(input: ServiceRef): Promise<Service>
  /** Brings an event of an outside system to its agent. Whoever cannot prove to be the system learns nothing. */
  trigger(input: TriggerAgent): Promise<Triggered>
}

export interface CreateService {
  readonly name: string
  readonly agent: string
}

/** By its id, or by its name and agent. */
export interface ServiceRef {
  readonly id: string
  readonly agent?: string
}

export interface NewService extends Service {
  /** For the header `x-secret-key`. */
  readonly key: string
  /** For signatures of Standard Webhooks: `whsec_…`. */
  readonly signingSecret: string
}

export interface TriggerAgent {
  readonly agent: string
  /** What the request proves itself with. */
  readonly proof: TriggerProof
  /** The name that the request gives itself; it must be the service's own. */
  readonly serviceName?: string
  readonly payload: Json
  /** The same delivery again is the same message; absent: each is new. */
  readonly deliveryId?: string
  readonly priority?: Priority
  readonly subject?: string
  /** The trace that the event belongs to. */
  readonly trace?: TraceContext
}

export type TriggerProof =
  | { readonly key: string }
  | {
      /** Of Standard Webhooks: the headers, and the body as it came. */
      readonly webhookId: string
      readonly timestamp: string
      readonly signature: string
      readonly body: string
    }

export interface Triggered {
  /** The message that carries the event. */
  readonly eventId: string
  readonly duplicate: boolean
}
