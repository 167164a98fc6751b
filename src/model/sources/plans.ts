import type { DeliveryState } from '../delivery.ts'
import type { Priority } from '../priority.ts'
import type { MissedPolicy, Plan } from './plan.ts'

export interface Plans {
  /** Makes plans or changes them, by id or by agent and name: all of them or none. */
  set(input: { readonly plans: readonly SetPlan[] }): Promise<readonly PlanInFull[]>
  /** Soonest first; of one agent or of all. */
  list(input?: ListPlans): Promise<readonly PlanInFull[]>
  show(input: PlanRef): Promise<PlanInFull>
  /** Deletes plans; those that are not there are named. What has fired stays where it went. */
  delete(input: DeletePlans): Promise<{ readonly deleted: readonly string[] }>
  /** While it is paused it has no instants: what would have come then never fires. */
  pause(input: ChangePlan): Promise<PlanInFull>
  resume(input: ChangePlan): Promise<PlanInFull>
  /** Fires a plan now. Its own instants stay as they are. */
  run(input: ChangePlan): Promise<{ readonly plan: PlanInFull; readonly messageId: string }>
}

/** By its id; or by its name, which an agent has once. */
export interface PlanRef {
  readonly id: string
  /** Whose plan it is where the id is a name; absent: the caller's. */
  readonly agent?: string
}

/** Refused where the plan has another revision by now. */
export interface ChangePlan extends PlanRef {
  readonly revision?: number
}

/**
 * A new plan has exactly one of `runAfter`, `scheduledAt` and `cron`; or only `gate`: as soon as that is not open. What
 * is absent stays as it is, and a plan that is set to the rhythm it has goes on in it.
 */
export interface SetPlan {
  /** The plan to change; absent: the agent's plan of this name, or a new one. */
  readonly id?: string
  /** Absent: the caller. */
  readonly agent?: string
  readonly name?: string
  readonly instruction?: string
  /** A duration: `5 hours`, `90m`, `PT5H`. */
  readonly runAfter?: string
  /** ISO 8601 with a zone. */
  readonly scheduledAt?: string
  readonly cron?: string
  /** Absent: that of the plan, else UTC. */
  readonly zone?: string
  readonly missed?: MissedPolicy
  readonly gate?: string
  readonly priority?: Priority
  /** The change is refused where the plan has another revision by now. */
  readonly revision?: number
}

export interface ListPlans {
  readonly agent?: string
  /** Also those that have fired and never will again. */
  readonly all?: boolean
}

export interface DeletePlans {
  readonly ids: readonly string[]
  readonly agent?: string
}

export interface PlanInFull extends Plan {
  /** The next five instants. */
  readonly upcomingAt: readonly number[]
  /** What it fired last, and how far that has come; null where it has not, or so much came since that it is not looked for. */
  readonly lastFired: FiredPlan | null
}

export interface FiredPlan {
  readonly messageId: string
  readonly at: number
  readonly state: DeliveryState
}
