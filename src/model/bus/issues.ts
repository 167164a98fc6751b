import { cutToCharacters } from '../../kit/pure/cut.ts'
import { findCycles } from '../../kit/pure/cycles.ts'
import type { BusEntry, BusPlace } from './entry.ts'
import type { BusIssue, IssueGraph, IssueRelation } from './issue.ts'
import { canonicalMsgId } from './legacy-id.ts'
import { meaningOf } from './meaning.ts'

/** Statuses that close an issue, in whatever case; every other one leaves or makes it open. */
export const CLOSING_STATUSES: ReadonlySet<string> = new Set([
  'closed',
  'done',
  'completed',
  'resolved',
  'fixed',
  'cancelled',
  'canceled',
  'wontfix',
  'duplicate',
  'superseded',
])

/** What an issue becomes when another says this of it. */
const CLOSING_KINDS: ReadonlyMap<string, string> = new Map([
  ['supersedes', 'superseded'],
  ['duplicates', 'duplicate'],
])
const WAITING_KINDS: ReadonlySet<string> = new Set(['depends_on', 'blocked_by'])
/** Says something of messages, nothing of issues. */
const ANSWERS = 'answers'

const TITLE_CHARACTERS = 200

/** Takes up the entries of a log one after the other, and keeps of them only what concerns issues. */
export interface IssueLog {
  /** In the order of the file. */
  add(entry: BusEntry): void
  graph(place: BusPlace): IssueGraph
}

/** The issues that a log tells of. */
export function deriveIssues(entries: Iterable<BusEntry>, place: BusPlace): IssueGraph {
  const log = createIssueLog()
  for (const entry of entries) log.add(entry)
  return log.graph(place)
}

export function createIssueLog(): IssueLog {
  const heard: Heard = { begun: new Map(), owners: new Map(), words: [] }
  return {
    add: (entry) => hear(heard, entry),
    graph: (place) => ({ ...placeOf(place), ...conclude(heard) }),
  }
}

function placeOf({ project_id, task_id }: BusPlace): BusPlace {
  return { project_id, ...(task_id !== undefined && { task_id }) }
}

/** What was said so far. Later entries may explain what earlier ones name, so nothing is concluded from it yet. */
interface Heard {
  readonly begun: Map<string, Pick<BusIssue, 'id' | 'msg_id' | 'title' | 'ts'>>
  /** The issue that each entry says it is about; '' where it is about none. */
  readonly owners: Map<string, string>
  readonly words: Word[]
}

/** An entry as far as it concerns issues. */
interface Word {
  readonly msg_id: string
  readonly ts: string
  readonly issue: string
  readonly status: string | null
  readonly references: readonly IssueRelation[]
}

function hear({ begun, owners, words }: Heard, entry: BusEntry): void {
  const { ts, type, issue_id, parents } = entry
  const msg_id = canonicalMsgId(entry.msg_id)
  const isIssue = meaningOf(type) === 'ISSUE'
  const issue = canonicalMsgId(issue_id || (isIssue ? msg_id : ''))
  if (!owners.has(msg_id)) owners.set(copyOf(msg_id), copyOf(issue))
  const references = (parents ?? []).flatMap(({ msg_id: id, kind }) =>
    kind === undefined || kind === ANSWERS ? [] : [{ kind, id: canonicalMsgId(id) }],
  )
  if (issue === '' && !references.some(({ kind }) => CLOSING_KINDS.has(kind))) return
  const word = copyOf({ msg_id, ts, issue, status: statusOf(entry), references })
  words.push(word)
  if (isIssue && !begun.has(issue)) {
    begun.set(word.issue, { id: word.issue, msg_id: word.msg_id, title: copyOf(titleOf(entry.body)), ts: word.ts })
  }
}

/** A text that was cut out of a page keeps all of the page in memory, and a log may have many pages. */
function copyOf<T extends string | Word>(value: T): T {
  return JSON.parse(JSON.stringify(value))
}

function titleOf(body: string): string {
  const line = /\S.*/.exec(body)?.[0].trimEnd() ?? ''
  return cutToCharacters(line, TITLE_CHARACTERS)
}

function statusOf({ meta }: BusEntry): string | null {
  const status = meta?.['status']
  if (typeof status === 'number' || typeof status === 'boolean') return String(status)
  return (typeof status === 'string' && status.trim()) || null
}

/** An issue while the log is gone through. */
interface Draft extends Pick<BusIssue, 'id' | 'msg_id' | 'title' | 'ts'> {
  status: string
  updatedTs: string
  closedBy: string | undefined
  readonly waitsFor: Set<string>
  /** Their ids by their kinds. */
  readonly relations: Map<string, Set<string>>
}

function conclude(heard: Heard): Omit<IssueGraph, keyof BusPlace> {
  const drafts = new Map<string, Draft>()
  for (const [id, begun] of heard.begun) {
    const fresh = { status: 'open', updatedTs: begun.ts, closedBy: undefined }
    drafts.set(id, { ...begun, ...fresh, waitsFor: new Set(), relations: new Map() })
  }
  for (const word of heard.words) weigh(word, drafts, heard)

  const issues = [...drafts.values()].map((draft) => finish(draft, drafts))
  const blockers = new Map(issues.map(({ id, blocked_by }) => [id, blocked_by.filter((each) => drafts.has(each))]))
  const unknown = new Set(issues.flatMap(({ depends_on }) => depends_on.filter((id) => !drafts.has(id))))
  return { issues, cycles: findCycles([...blockers.keys()], (id) => blockers.get(id) ?? []), unknown: [...unknown] }
}

/** The latest word on an issue counts, be it its own status or what another says of it. */
function weigh(
  { msg_id, ts, issue, status, references }: Word,
  drafts: ReadonlyMap<string, Draft>,
  heard: Heard,
): void {
  const find = (name: string) => drafts.get(name) ?? drafts.get(heard.owners.get(name) ?? '')
  const own = find(issue)
  if (own) own.updatedTs = ts
  if (own && status !== null) Object.assign(own, { status, closedBy: undefined })

  for (const { kind, id } of references) {
    const target = find(id)
    const closing = CLOSING_KINDS.get(kind)
    if (target && target !== own && closing !== undefined) {
      Object.assign(target, { status: closing, closedBy: own?.id ?? msg_id, updatedTs: ts })
    }
    if (own) relate(own, { kind, id: target?.id ?? id }, { target, isEntry: heard.owners.has(id) })
  }
}

/** An entry that is no issue cannot be closed, so that nothing can wait for it; what nobody knows of may be one. */
function relate(
  own: Draft,
  { kind, id }: IssueRelation,
  { target, isEntry }: { readonly target: Draft | undefined; readonly isEntry: boolean },
): void {
  if (kind === 'blocks') target?.waitsFor.add(own.id)
  if (WAITING_KINDS.has(kind) && (target !== undefined || !isEntry)) own.waitsFor.add(id)
  else own.relations.set(kind, (own.relations.get(kind) ?? new Set()).add(id))
}

function finish(draft: Draft, drafts: ReadonlyMap<string, Draft>): BusIssue {
  const { id, msg_id, title, ts, status, updatedTs, closedBy, waitsFor, relations } = draft
  const depends_on = [...waitsFor]
  const isClosed = isClosing(status)
  const blocked_by = isClosed ? [] : depends_on.filter((each) => !isClosing(drafts.get(each)?.status ?? ''))
  return {
    id,
    msg_id,
    title,
    status,
    state: isClosed ? 'closed' : blocked_by.length > 0 ? 'blocked' : 'ready',
    ts,
    updated_ts: updatedTs,
    depends_on,
    blocked_by,
    relations: [...relations].flatMap(([kind, ids]) => [...ids].map((each) => ({ kind, id: each }))),
    ...(closedBy !== undefined && { closed_by: closedBy }),
  }
}

function isClosing(status: string): boolean {
  return CLOSING_STATUSES.has(status.toLowerCase())
}
