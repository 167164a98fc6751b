import type { InboxMessage } from '../../../../src/model/delivery.ts'
import { GROUP_TITLES, type InboxGroup, type InboxSection } from '../../state/inbox-groups.ts'

/** A line of the list: the head of a group, or a message. */
export type InboxRow =
  | { readonly key: string; readonly kind: 'head'; readonly title: string; readonly count: number }
  | { readonly key: string; readonly kind: 'message'; readonly message: InboxMessage }

export const HEAD_HEIGHT = 34
export const ROW_HEIGHT = 62

export type InboxView = 'all' | InboxGroup | 'snoozed' | 'done'

export function rowsOf(sections: readonly InboxSection[], view: InboxView): readonly InboxRow[] {
  const shown = sections.filter(({ group, items }) => items.length > 0 && (view === 'all' || view === group))
  return shown.flatMap(({ group, items }) => [
    ...(view === 'all' ? [headOf(group, items.length)] : []),
    ...items.map(rowOf),
  ])
}

export function rowOf(message: InboxMessage): InboxRow {
  return { key: message.id, kind: 'message', message }
}

function headOf(group: InboxGroup, count: number): InboxRow {
  return { key: `head-${group}`, kind: 'head', title: GROUP_TITLES[group], count }
}

/** The message so many further; where there is none, the last one that way. */
export function stepFrom(rows: readonly InboxRow[], current: string | undefined, step: number): string | undefined {
  const ids = rows.filter(({ kind }) => kind === 'message').map(({ key }) => key)
  const at = current === undefined ? -1 : ids.indexOf(current)
  if (at < 0) return step > 0 ? ids[0] : ids.at(-1)
  return ids[Math.min(Math.max(at + step, 0), ids.length - 1)]
}

/** What comes to the place of messages that leave the list. */
export function nextAfter(rows: readonly InboxRow[], leaving: ReadonlySet<string>): string | undefined {
  const ids = rows.filter(({ kind }) => kind === 'message').map(({ key }) => key)
  const last = ids.findLastIndex((id) => leaving.has(id))
  return ids.slice(last + 1).find((id) => !leaving.has(id)) ?? ids.slice(0, last + 1).findLast((id) => !leaving.has(id))
}
