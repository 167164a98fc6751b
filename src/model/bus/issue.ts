import type { BusPlace } from './entry.ts'

/** What the log tells of the issues of a bus. */
export interface IssueGraph extends BusPlace {
  readonly issues: readonly BusIssue[]
  /** Issues that wait for each other in a circle, each as a list of ids; none of them can ever be ready. */
  readonly cycles: readonly (readonly string[])[]
  /** Ids that issues wait for and the log does not have. */
  readonly unknown: readonly string[]
}

/**
 *   open ─an entry with its id and a closing `meta.status`, or `supersedes` / `duplicates` from another→ closed
 *   closed ─an entry with its id and another `meta.status`→ open
 *
 * An open issue is ready, or blocked while something that it depends on is open or unknown.
 */
export interface BusIssue {
  /** `issue_id`, else the `msg_id` of the entry that began it. */
  readonly id: string
  readonly msg_id: string
  /** The first line of the entry that began it, as far as it is not too long. */
  readonly title: string
  /** As the latest entry says; `superseded` or `duplicate` where another issue closed it, `open` where nothing does. */
  readonly status: string
  readonly state: 'ready' | 'blocked' | 'closed'
  readonly ts: string
  readonly updated_ts: string
  /** Ids of the issues that must be closed first, closed ones too. */
  readonly depends_on: readonly string[]
  /** Those of them that are still open, or unknown. */
  readonly blocked_by: readonly string[]
  /** What else its entries say of others. What it waits for stands in `depends_on`. */
  readonly relations: readonly IssueRelation[]
  /** What has closed it by superseding it, or by naming it as its duplicate: another issue, or a mere entry. */
  readonly closed_by?: string
}

export interface IssueRelation {
  readonly kind: string
  readonly id: string
}
