import { useSignal } from '@preact/signals'
import { type Shortcut, useKeys } from '../../keys/keys.ts'
import { pathTo } from '../../router/route.ts'
import { goTo, navigate, route } from '../../router/router.ts'
import { finishMessages, inboxSections, snoozeMessages, wakeMessages } from '../../state/inbox.ts'
import { type InboxRow, type InboxView, nextAfter, rowsOf, stepFrom } from './inbox-rows.ts'
import { useOtherRows } from './other-rows.ts'

/** What the inbox shows, and what can be done with it, by keys or by hand. */
export interface InboxDesk {
  readonly view: InboxView
  readonly rows: readonly InboxRow[]
  readonly current: string | undefined
  readonly selected: ReadonlySet<string>
  /** Snoozed and done ones are only looked at. */
  readonly canFinish: boolean
  readonly isReplying: boolean
  /** Those for which a time is being chosen. */
  readonly snoozing: readonly string[]
  show(view: string): void
  open(id: string | undefined): void
  select(id: string | undefined): void
  selectNone(): void
  finish(ids?: readonly string[]): void
  /** Asks until when; without ids, of what is selected or shown. */
  askSnooze(ids?: readonly string[]): void
  snooze(untilAt: number, words: string): void
  cancelSnooze(): void
  wake(): void
  reply(isReplying: boolean): void
}

export function useInbox(): InboxDesk {
  const { params, query } = route.value
  const view = (query['view'] ?? 'all') as InboxView
  const canFinish = view !== 'snoozed' && view !== 'done'
  const other = useOtherRows(view === 'snoozed' || view === 'done' ? view : undefined)
  const rows = canFinish ? rowsOf(inboxSections.value, view) : other.rows
  const selected = useSignal<ReadonlySet<string>>(new Set())
  /** The message that is being replied to. */
  const replyingTo = useSignal<string | undefined>(undefined)
  const snoozing = useSignal<readonly string[]>([])
  const current = params['id']

  const show = (id: string | undefined, replace = false) =>
    navigate(pathTo('inbox', [id], { view: query['view'] }), { replace })
  const meant = () => (selected.value.size > 0 ? [...selected.value] : current ? [current] : [])

  /** Shows what comes next, so that one can go through an inbox without reaching for the mouse. */
  function leave(ids: readonly string[]): void {
    selected.value = new Set()
    if (current && ids.includes(current)) show(nextAfter(rows, new Set(ids)), true)
  }

  const desk: InboxDesk = {
    view,
    rows,
    current,
    selected: selected.value,
    canFinish,
    isReplying: current !== undefined && replyingTo.value === current,
    snoozing: snoozing.value,
    show: (id) => navigate(pathTo('inbox', [], { view: id === 'all' ? undefined : id })),
    open: show,
    select(id) {
      if (!id) return
      const changed = new Set(selected.value)
      if (!changed.delete(id)) changed.add(id)
      selected.value = changed
    },
    selectNone() {
      selected.value = new Set()
    },
    finish(ids = meant()) {
      if (!canFinish) return
      leave(ids)
      finishMessages(ids)
    },
    askSnooze(ids = meant()) {
      snoozing.value = canFinish ? ids : []
    },
    snooze(untilAt, words) {
      const ids = snoozing.value
      snoozing.value = []
      leave(ids)
      void snoozeMessages(ids, untilAt, words)
    },
    cancelSnooze() {
      snoozing.value = []
    },
    wake() {
      const ids = meant()
      leave(ids)
      void wakeMessages(ids).then(other.refresh)
    },
    reply(isReplying) {
      replyingTo.value = isReplying ? current : undefined
    },
  }
  useKeys({
    title: 'Inbox',
    shortcuts: shortcutsOf(desk, (by) => show(stepFrom(rows, current, by), current !== undefined)),
  })
  return desk
}

function shortcutsOf(desk: InboxDesk, step: (by: number) => void): readonly Shortcut[] {
  const { current, selected } = desk
  return [
    { keys: 'j, ArrowDown', label: 'Next', run: () => step(1) },
    { keys: 'k, ArrowUp', label: 'Previous', run: () => step(-1) },
    { keys: 'e', label: 'Done', run: () => desk.finish() },
    { keys: 's', label: 'Snooze', run: () => desk.askSnooze() },
    { keys: 'r', label: 'Reply', run: () => desk.reply(true) },
    { keys: 'x', label: 'Select', run: () => desk.select(current) },
    {
      keys: 'Enter',
      label: 'Open, or answer',
      run: () => (current ? document.querySelector<HTMLElement>('.option-card')?.focus() : step(1)),
    },
    { keys: 't', label: 'Trace of the message', run: () => current && goTo('trace', [current]) },
    {
      keys: 'Escape',
      label: 'Back to the list',
      run: () => (selected.size > 0 ? desk.selectNone() : desk.open(undefined)),
    },
  ]
}
