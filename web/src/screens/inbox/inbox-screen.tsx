import './inbox.css'
import { useSignal } from '@preact/signals'
import { useKeys } from '../../keys/keys.ts'
import { Button, Empty, IconButton, Loading, ProblemNote } from '../../parts/bits.tsx'
import { ScreenHead, Tabs } from '../../parts/screen-head.tsx'
import { pathTo } from '../../router/route.ts'
import { goTo, navigate, route } from '../../router/router.ts'
import { compose } from '../../shell/layers.ts'
import {
  finishMessages,
  inboxProblem,
  inboxSections,
  isInboxLoaded,
  loadInbox,
  snoozeMessages,
  wakeMessages,
} from '../../state/inbox.ts'
import { caller, me } from '../../state/me.ts'
import { InboxList } from './inbox-list.tsx'
import { type InboxRow, type InboxView, nextAfter, rowsOf, stepFrom } from './inbox-rows.ts'
import { MessageDetail } from './message-detail.tsx'
import { useOtherRows } from './other-rows.ts'
import { Snooze } from './snooze.tsx'

export function InboxScreen() {
  const { params, query } = route.value
  const view = (query['view'] ?? 'all') as InboxView
  const isOther = view === 'snoozed' || view === 'done'
  const other = useOtherRows(isOther ? view : undefined)
  const rows = isOther ? other.rows : rowsOf(inboxSections.value, view)
  const selected = useSignal<ReadonlySet<string>>(new Set())
  /** The message that is being replied to. */
  const replyingTo = useSignal<string | undefined>(undefined)
  const snoozing = useSignal<readonly string[]>([])
  const current = params['id']

  const open = (id: string | undefined, replace = false) =>
    navigate(pathTo('inbox', [id], { view: query['view'] }), { replace })
  const step = (by: number) => open(stepFrom(rows, current, by), current !== undefined)
  const meant = () => (selected.value.size > 0 ? [...selected.value] : current ? [current] : [])

  function select(id: string | undefined): void {
    if (!id) return
    const changed = new Set(selected.value)
    if (!changed.delete(id)) changed.add(id)
    selected.value = changed
  }

  /** Shows what comes next, so that one can go through an inbox without reaching for the mouse. */
  function leave(ids: readonly string[]): void {
    selected.value = new Set()
    if (current && ids.includes(current)) open(nextAfter(rows, new Set(ids)), true)
  }

  function finish(ids: readonly string[]): void {
    if (isOther) return
    leave(ids)
    finishMessages(ids)
  }

  function snooze(untilAt: number, words: string): void {
    const ids = snoozing.value
    snoozing.value = []
    leave(ids)
    void snoozeMessages(ids, untilAt, words)
  }

  useKeys({
    title: 'Inbox',
    shortcuts: [
      { keys: 'j, ArrowDown', label: 'Next', run: () => step(1) },
      { keys: 'k, ArrowUp', label: 'Previous', run: () => step(-1) },
      { keys: 'e', label: 'Done', run: () => finish(meant()) },
      {
        keys: 's',
        label: 'Snooze',
        run: () => {
          snoozing.value = isOther ? [] : meant()
        },
      },
      {
        keys: 'r',
        label: 'Reply',
        run: () => {
          replyingTo.value = current
        },
      },
      { keys: 'x', label: 'Select', run: () => select(current) },
      {
        keys: 'Enter',
        label: 'Open, or answer',
        run: () => (current ? document.querySelector<HTMLElement>('.option-card')?.focus() : step(1)),
      },
      { keys: 't', label: 'Trace of the message', run: () => current && goTo('trace', [current]) },
      {
        keys: 'Escape',
        label: 'Back to the list',
        run: () => {
          if (selected.value.size > 0) selected.value = new Set()
          else open(undefined)
        },
      },
    ],
  })

  if (caller.value && me.value === '') return <NoInbox />
  const counts = Object.fromEntries(inboxSections.value.map(({ group, items }) => [group, items.length]))
  return (
    <>
      <ScreenHead title="My inbox">
        <Button icon="plus" keys="c" onClick={() => compose()}>
          Write
        </Button>
      </ScreenHead>
      <Tabs
        label="Which messages"
        current={view}
        tabs={[
          { id: 'all', title: 'Open' },
          { id: 'decide', title: 'Needs decision', count: counts['decide'] },
          { id: 'me', title: 'To me', count: counts['me'] },
          { id: 'fyi', title: 'FYI', count: counts['fyi'] },
          { id: 'snoozed', title: 'Snoozed' },
          { id: 'done', title: 'Done' },
        ]}
        onChoose={(id) => navigate(pathTo('inbox', [], { view: id === 'all' ? undefined : id }))}
      />
      <div class="panes" data-shows={current ? 'detail' : 'list'}>
        <section class="pane" aria-label="Messages">
          {selected.value.size > 0 && (
            <div class="bulk" role="toolbar" aria-label="Selected messages">
              <span>{selected.value.size} selected</span>
              {view === 'snoozed' ? (
                <Button onClick={() => void wakeMessages(meant()).then(other.refresh)}>Back to the inbox</Button>
              ) : (
                !isOther && (
                  <>
                    <Button icon="check" keys="e" onClick={() => finish(meant())}>
                      Done
                    </Button>
                    <Button
                      icon="clock"
                      keys="s"
                      onClick={() => {
                        snoozing.value = meant()
                      }}
                    >
                      Snooze
                    </Button>
                  </>
                )
              )}
              <IconButton
                icon="close"
                label="Select nothing"
                keys="Escape"
                onClick={() => {
                  selected.value = new Set()
                }}
              />
            </div>
          )}
          <InboxBody
            rows={rows}
            view={view}
            current={current}
            selected={selected.value}
            onOpen={open}
            onSelect={select}
          />
        </section>
        <section class="pane" aria-label="Message">
          {current ? (
            <MessageDetail
              id={current}
              isReplying={replyingTo.value === current}
              onReply={(value) => {
                replyingTo.value = value ? current : undefined
              }}
              onDone={() => finish([current])}
              onSnooze={() => {
                snoozing.value = [current]
              }}
            />
          ) : (
            <Empty icon="inbox" title="Choose a message">
              <kbd class="key">j</kbd> and <kbd class="key">k</kbd> go through them, <kbd class="key">?</kbd> shows all
              keys.
            </Empty>
          )}
        </section>
      </div>
      {snoozing.value.length > 0 && (
        <Snooze
          count={snoozing.value.length}
          onChoose={snooze}
          onClose={() => {
            snoozing.value = []
          }}
        />
      )}
    </>
  )
}

interface InboxBodyProps {
  readonly rows: readonly InboxRow[]
  readonly view: InboxView
  readonly current: string | undefined
  readonly selected: ReadonlySet<string>
  onOpen(id: string): void
  onSelect(id: string): void
}

function InboxBody({ rows, view, ...list }: InboxBodyProps) {
  const problem = inboxProblem.value
  if (problem && rows.length === 0) return <ProblemNote problem={problem} onRetry={loadInbox} />
  if (!isInboxLoaded.value) return <Loading what="your inbox" />
  if (rows.length > 0) return <InboxList rows={rows} {...list} />
  if (view === 'snoozed') return <Empty icon="clock" title="Nothing is snoozed" />
  if (view === 'done') return <Empty icon="check" title="Nothing done yet" />
  return (
    <Empty icon="check" title="Nothing waits for you" commands={[`postern inbox push ${me.value} "Hello"`]}>
      An agent, a script or a colleague reaches you with a command such as this one.
    </Empty>
  )
}

function NoInbox() {
  return (
    <Empty
      icon="people"
      title="You have no inbox"
      commands={['postern agent add rosa --kind human', 'postern ui --as rosa']}
    >
      You look at this page as {caller.value?.id}, who is not a person. Register yourself, and open the page as that
      person.
    </Empty>
  )
}
