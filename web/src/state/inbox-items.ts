import { signal } from '@preact/signals'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { InboxPage } from '../../../src/model/postern.ts'
import { call } from '../api/postern.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import { connection, GAP, listen, type News } from '../live/connection.ts'
import { me } from './me.ts'

/** The person's open messages, by id: all of them, however many. */
export const items = signal<ReadonlyMap<string, InboxMessage>>(new Map())
export const isInboxLoaded = signal(false)
export const inboxProblem = signal<Problem | undefined>(undefined)

const PAGE = 1_000
const NEWEST = 100
/** Many events at once are one reason to look. */
const GATHER_MS = 120
/** States in which a message is in nobody's open inbox any more. */
const GONE: readonly string[] = ['acted', 'held', 'expired', 'cancelled', 'dead']

/**
 * What has to be looked at: nothing, the newest, or everything. One look at a time; what is asked for meanwhile comes
 * after it, so that no look writes over what a later one has found.
 */
let wanted: 'nothing' | 'newest' | 'all' = 'nothing'
let isLooking = false
let isDue = false
/** What became of messages while a look was under way: its answer may be of before that. */
const meanwhile = new Map<string, InboxMessage['state'] | 'gone'>()

export function followInbox(): void {
  lookAt('all', 0)
  listen(hear)
  connection.subscribe((state) => {
    if (state === 'live' && inboxProblem.peek()) lookAt('all')
  })
}

export function loadInbox(): void {
  lookAt('all', 0)
}

function lookAt(what: 'newest' | 'all', afterMs = GATHER_MS): void {
  if (wanted !== 'all') wanted = what
  // What comes while a look is about to begin needs no other: events that never cease must not put it off for ever.
  if (isDue) return
  isDue = true
  setTimeout(() => {
    isDue = false
    void look()
  }, afterMs)
}

async function look(): Promise<void> {
  if (isLooking || wanted === 'nothing' || me.value === '') return
  const what = wanted
  wanted = 'nothing'
  isLooking = true
  meanwhile.clear()
  try {
    if (what === 'all') await loadAll()
    else await loadNewest()
    inboxProblem.value = undefined
  } catch (error) {
    inboxProblem.value = asProblem(error)
  } finally {
    isLooking = false
    if (wanted !== 'nothing') lookAt(wanted)
  }
}

function ask(more: Readonly<Record<string, unknown>>): Promise<InboxPage> {
  return call('inbox.list', { agent: me.value, which: 'open', order: 'newest', ...more }) as Promise<InboxPage>
}

/** Everything, page by page; at the first time the first page is shown at once. */
async function loadAll(): Promise<void> {
  const found = new Map<string, InboxMessage>()
  let after: string | null = null
  do {
    const page: InboxPage = await ask({ limit: PAGE, ...(after !== null && { after }) })
    for (const item of page.items) found.set(item.id, item)
    after = page.next
    if (!isInboxLoaded.value) items.value = asOfNow(found)
    isInboxLoaded.value = true
  } while (after !== null)
  items.value = asOfNow(found)
}

async function loadNewest(): Promise<void> {
  const page = await ask({ limit: NEWEST })
  const last = page.items.at(-1)
  // Where more has come than a page holds, something lies between what is known and what was found.
  if (page.next !== null && last && !items.value.has(last.id)) return loadAll()
  const found = page.items.map((item): [string, InboxMessage] => [item.id, item])
  items.value = asOfNow(new Map([...found, ...items.value]))
}

function asOfNow(found: ReadonlyMap<string, InboxMessage>): ReadonlyMap<string, InboxMessage> {
  const now = new Map(found)
  for (const [id, became] of meanwhile) {
    const item = now.get(id)
    if (became === 'gone') now.delete(id)
    else if (item) now.set(id, { ...item, state: became })
  }
  return now
}

function hear({ type, agents, data }: News): void {
  const [noun, verb = ''] = type.split('.')
  const { agent, messages = [] } = (data ?? {}) as { readonly agent?: string; readonly messages?: readonly string[] }
  if (type === GAP) lookAt('all')
  else if (type === 'message.created' && (agents === null || agents.includes(me.value))) lookAt('newest')
  else if (noun !== 'delivery' || agent !== me.value) return
  else if (verb === 'requeued' || verb === 'released') lookAt('all')
  else if (verb === 'seen') setStates(messages, 'seen')
  else if (GONE.includes(verb)) forget(messages)
}

export function setStates(ids: readonly string[], state: InboxMessage['state']): void {
  if (isLooking) for (const id of ids) meanwhile.set(id, state)
  const known = ids.flatMap((id) => items.value.get(id) ?? [])
  if (known.length === 0) return
  items.value = new Map([...items.value, ...known.map((item): [string, InboxMessage] => [item.id, { ...item, state }])])
}

export function forget(ids: readonly string[]): void {
  if (isLooking) for (const id of ids) meanwhile.set(id, 'gone')
  if (!ids.some((id) => items.value.has(id))) return
  const left = new Map(items.value)
  for (const id of ids) left.delete(id)
  items.value = left
}
