import { computed, signal } from '@preact/signals'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { InboxPage } from '../../../src/model/postern.ts'
import { call, postern } from '../api/postern.ts'
import { asProblem, type Problem } from '../api/problem.ts'
import { connection, GAP, listen, type News } from '../live/connection.ts'
import { attempt, TOAST_MS, toast } from '../parts/toasts.tsx'
import { myDecisions } from './decisions.ts'
import { sectionsOf } from './inbox-groups.ts'
import { me } from './me.ts'

/** The person's open messages, by id: all of them, however many. */
const items = signal<ReadonlyMap<string, InboxMessage>>(new Map())
/** What was dealt with a moment ago and can still be taken back. */
const hidden = signal<ReadonlySet<string>>(new Set())

export const isInboxLoaded = signal(false)
export const inboxProblem = signal<Problem | undefined>(undefined)

const openIds = computed(() => new Set(myDecisions.value.map(({ id }) => id)))
export const inboxSections = computed(() =>
  sectionsOf(
    [...items.value.values()].filter(({ id }) => !hidden.value.has(id)),
    openIds.value,
  ),
)
/** What waits for the person: questions and what is for them and unread. It stands in the title of the tab. */
export const waitingCount = computed(() =>
  inboxSections.value.reduce((sum, { group, items: of }) => {
    if (group === 'fyi') return sum
    return sum + (group === 'decide' ? of.length : of.filter(isUnread).length)
  }, 0),
)

export function isUnread({ state }: InboxMessage): boolean {
  return state === 'pending' || state === 'offered'
}

export function inboxMessage(id: string): InboxMessage | undefined {
  return items.value.get(id)
}

const PAGE = 1_000
const NEWEST = 100
const GATHER_MS = 120
const GONE: readonly string[] = ['acted', 'held', 'expired', 'cancelled', 'dead']

let reload: ReturnType<typeof setTimeout> | undefined

function ask(more: Readonly<Record<string, unknown>>): Promise<InboxPage> {
  return call('inbox.list', { agent: me.value, which: 'open', order: 'newest', ...more }) as Promise<InboxPage>
}

/** Loads everything, page by page; the first is shown at once. */
export async function loadInbox(): Promise<void> {
  if (me.value === '') return
  try {
    const found = new Map<string, InboxMessage>()
    let after: string | null = null
    do {
      const page: InboxPage = await ask({ limit: PAGE, ...(after !== null && { after }) })
      for (const item of page.items) found.set(item.id, item)
      after = page.next
      if (!isInboxLoaded.value) items.value = new Map(found)
      isInboxLoaded.value = true
    } while (after !== null)
    items.value = found
    inboxProblem.value = undefined
  } catch (error) {
    inboxProblem.value = asProblem(error)
  }
}

async function loadNewest(): Promise<void> {
  const page = await ask({ limit: NEWEST })
  items.value = new Map([...page.items.map((item): [string, InboxMessage] => [item.id, item]), ...items.value])
}

export function followInbox(): void {
  void loadInbox()
  listen(hear)
  connection.subscribe((state) => {
    if (state === 'live' && inboxProblem.peek()) soon(loadInbox)
  })
  addEventListener('pagehide', () => {
    for (const commit of [...commits]) commit()
  })
}

function soon(load: () => Promise<void>): void {
  clearTimeout(reload)
  reload = setTimeout(() => load().catch(() => undefined), GATHER_MS)
}

function hear({ type, agents, data }: News): void {
  const [noun, verb = ''] = type.split('.')
  const { agent, messages = [] } = (data ?? {}) as { readonly agent?: string; readonly messages?: readonly string[] }
  if (type === GAP) soon(loadInbox)
  else if (type === 'message.created' && (agents === null || agents.includes(me.value))) soon(loadNewest)
  else if (noun !== 'delivery' || agent !== me.value) return
  else if (verb === 'requeued' || verb === 'released') soon(loadInbox)
  else if (verb === 'seen') setStates(messages, 'seen')
  else if (GONE.includes(verb)) forget(messages)
}

function setStates(ids: readonly string[], state: InboxMessage['state']): void {
  const known = ids.filter((id) => items.value.has(id))
  if (known.length === 0) return
  const changed = new Map(items.value)
  for (const id of known) {
    const item = changed.get(id)
    if (item) changed.set(id, { ...item, state })
  }
  items.value = changed
}

function forget(ids: readonly string[]): void {
  if (!ids.some((id) => items.value.has(id))) return
  const left = new Map(items.value)
  for (const id of ids) left.delete(id)
  items.value = left
}

function hide(ids: readonly string[], isHidden: boolean): void {
  const left = new Set(hidden.value)
  for (const id of ids) {
    if (isHidden) left.add(id)
    else left.delete(id)
  }
  hidden.value = left
}

/** The person has looked at it. */
export async function readMessages(ids: readonly string[]): Promise<void> {
  const unread = ids.filter((id) => {
    const item = items.value.get(id)
    return item !== undefined && isUnread(item)
  })
  if (unread.length === 0) return
  setStates(unread, 'seen')
  await call('inbox.read', { agent: me.value, ids: unread }).catch(() => undefined)
}

/** Nothing can make undone what was acknowledged: it is only told to the server when it can no longer be taken back. */
const commits = new Set<() => void>()

export function finishMessages(ids: readonly string[]): void {
  if (ids.length === 0) return
  hide(ids, true)
  const commit = () => {
    clearTimeout(timer)
    if (commits.delete(commit)) void acknowledge(ids)
  }
  const timer = setTimeout(commit, TOAST_MS)
  commits.add(commit)
  toast(ids.length === 1 ? 'Done' : `${ids.length} done`, () => {
    clearTimeout(timer)
    commits.delete(commit)
    hide(ids, false)
  })
}

/** Says at once that something was dealt with, as by its answer. */
export async function acknowledge(ids: readonly string[]): Promise<void> {
  const sending = { keepalive: true }
  const done = await attempt(async () => {
    await call('inbox.read', { agent: me.value, ids }, sending)
    await call('inbox.ack', { agent: me.value, ids }, sending)
    return true
  })
  if (done) forget(ids)
  hide(ids, false)
}

export async function snoozeMessages(ids: readonly string[], untilAt: number, words: string): Promise<void> {
  if (ids.length === 0) return
  hide(ids, true)
  const done = await attempt(() => call('inbox.snooze', { agent: me.value, ids, untilAt }))
  if (done !== undefined) forget(ids)
  hide(ids, false)
  if (done === undefined) return
  toast(`Snoozed ${ids.length === 1 ? '' : `${ids.length} `}until ${words}`, () => void wakeMessages(ids))
}

export async function wakeMessages(ids: readonly string[]): Promise<void> {
  await attempt(() => call('inbox.snooze', { agent: me.value, ids, untilAt: null }))
  await loadInbox()
}

export const sendMessage = postern.inbox.push
