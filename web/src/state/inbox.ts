import { computed, signal } from '@preact/signals'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import { call, postern } from '../api/postern.ts'
import { attempt, TOAST_MS, toast } from '../parts/toasts.tsx'
import { myDecisions } from './decisions.ts'
import { sectionsOf } from './inbox-groups.ts'
import { forget, items, loadInbox, setStates } from './inbox-items.ts'
import { me } from './me.ts'

/** What was dealt with a moment ago and can still be taken back. */
const hidden = signal<ReadonlySet<string>>(new Set())

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

export const sendMessage = postern.inbox.push

/** The person has looked at it. */
export async function readMessages(ids: readonly string[]): Promise<void> {
  const unread = unreadOf(ids).filter((id) => !refused.has(id))
  if (unread.length === 0) return
  setStates(unread, 'seen')
  try {
    await tellRead(unread)
  } catch {
    for (const id of unread) refused.add(id)
    setTimeout(() => {
      for (const id of unread) refused.delete(id)
    }, REFUSED_MS)
    setStates(unread, 'pending')
  }
}

function unreadOf(ids: readonly string[]): readonly string[] {
  return ids.filter((id) => {
    const item = items.value.get(id)
    return item !== undefined && isUnread(item)
  })
}

/** What the server could not be told of stays unread, and it is not asked again and again by whoever shows it. */
const refused = new Set<string>()
const REFUSED_MS = 5_000

/** A browser sends at most 64 KB on behalf of a page that is being left, and refuses what is longer. */
const MOST_KEPT = 800

/** Both are sent even while the page is being left. */
const tellRead = (ids: readonly string[]) => tell('inbox.read', ids)
const tellDone = (ids: readonly string[]) => tell('inbox.ack', ids)

function tell(what: 'inbox.read' | 'inbox.ack', ids: readonly string[]): Promise<unknown> {
  return call(what, { agent: me.value, ids }, { keepalive: ids.length <= MOST_KEPT })
}

/** Nothing can make undone what was acknowledged: it is only told to the server when it can no longer be taken back. */
const leaving = new Set<() => void>()

/** Whoever leaves the page takes nothing back any more. */
addEventListener('pagehide', () => {
  for (const leave of [...leaving]) leave()
})

export function finishMessages(ids: readonly string[]): void {
  if (ids.length === 0) return
  hide(ids, true)
  const unread = unreadOf(ids)
  setStates(unread, 'seen')
  // Only what was read can be done, and a page that is being left has time for one request alone: so this goes first.
  const read = tellRead(ids)
  read.catch(() => setStates(unread, 'pending'))
  const end = () => {
    clearTimeout(timer)
    leaving.delete(leave)
  }
  const leave = () => {
    end()
    void settle(ids, () => tellDone(ids))
  }
  const timer = setTimeout(() => {
    end()
    void settle(ids, () => read.catch(() => tellRead(ids)).then(() => tellDone(ids)))
  }, TOAST_MS)
  leaving.add(leave)
  toast(ids.length === 1 ? 'Done' : `${ids.length} done`, () => {
    end()
    hide(ids, false)
  })
}

/** Says at once that something was dealt with, as by its answer. */
export function acknowledge(ids: readonly string[]): Promise<void> {
  return settle(ids, () => tellRead(ids).then(() => tellDone(ids)))
}

async function settle(ids: readonly string[], telling: () => Promise<unknown>): Promise<void> {
  const isTold = await attempt(() => telling().then(() => true))
  if (isTold) forget(ids)
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
  loadInbox()
}

function hide(ids: readonly string[], isHidden: boolean): void {
  const left = new Set(hidden.value)
  for (const id of ids) {
    if (isHidden) left.add(id)
    else left.delete(id)
  }
  hidden.value = left
}
