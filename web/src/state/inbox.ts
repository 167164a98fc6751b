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

/** Whoever leaves the page takes nothing back any more. */
addEventListener('pagehide', () => {
  for (const commit of [...commits]) commit()
})

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
