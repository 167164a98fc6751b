import './inbox.css'
import { Button, Empty, IconButton, Loading, ProblemNote } from '../../parts/bits.tsx'
import { ScreenHead, Tabs } from '../../parts/screen-head.tsx'
import { compose } from '../../shell/layers.ts'
import { inboxSections } from '../../state/inbox.ts'
import { inboxProblem, isInboxLoaded, loadInbox } from '../../state/inbox-items.ts'
import { caller, me } from '../../state/me.ts'
import { InboxList } from './inbox-list.tsx'
import { MessageDetail } from './message-detail.tsx'
import { Snooze } from './snooze.tsx'
import { type InboxDesk, useInbox } from './use-inbox.ts'

export function InboxScreen() {
  const desk = useInbox()
  const { current, snoozing } = desk
  if (caller.value && me.value === '') return <NoInbox />
  return (
    <>
      <ScreenHead title="My inbox">
        <Button icon="plus" keys="c" onClick={() => compose()}>
          Write
        </Button>
      </ScreenHead>
      <Views desk={desk} />
      <div class="panes" data-shows={current ? 'detail' : 'list'}>
        <section class="pane" aria-label="Messages">
          {desk.selected.size > 0 && <BulkBar desk={desk} />}
          <InboxBody desk={desk} />
        </section>
        <section class="pane" aria-label="Message">
          {current ? (
            <MessageDetail
              id={current}
              isReplying={desk.isReplying}
              onReply={desk.reply}
              onDone={() => desk.finish([current])}
              onSnooze={() => desk.askSnooze([current])}
              onWake={desk.view === 'snoozed' ? desk.wake : undefined}
            />
          ) : (
            <Empty icon="inbox" title="Choose a message">
              <kbd class="key">j</kbd> and <kbd class="key">k</kbd> go through them, <kbd class="key">?</kbd> shows all
              keys.
            </Empty>
          )}
        </section>
      </div>
      {snoozing.length > 0 && <Snooze count={snoozing.length} onChoose={desk.snooze} onClose={desk.cancelSnooze} />}
    </>
  )
}

interface DeskProps {
  readonly desk: InboxDesk
}

function Views({ desk }: DeskProps) {
  const counts = Object.fromEntries(inboxSections.value.map(({ group, items }) => [group, items.length]))
  return (
    <Tabs
      label="Which messages"
      current={desk.view}
      tabs={[
        { id: 'all', title: 'Open' },
        { id: 'decide', title: 'Needs decision', count: counts['decide'] },
        { id: 'me', title: 'To me', count: counts['me'] },
        { id: 'fyi', title: 'FYI', count: counts['fyi'] },
        { id: 'snoozed', title: 'Snoozed' },
        { id: 'done', title: 'Done' },
      ]}
      onChoose={desk.show}
    />
  )
}

/** What can be done with all that is selected. */
function BulkBar({ desk }: DeskProps) {
  return (
    <div class="bulk" role="toolbar" aria-label="Selected messages">
      <span>{desk.selected.size} selected</span>
      {desk.view === 'snoozed' && <Button onClick={desk.wake}>Back to the inbox</Button>}
      {desk.canFinish && (
        <>
          <Button icon="check" keys="e" onClick={() => desk.finish()}>
            Done
          </Button>
          <Button icon="clock" keys="s" onClick={() => desk.askSnooze()}>
            Snooze
          </Button>
        </>
      )}
      <IconButton icon="close" label="Select nothing" keys="Escape" onClick={desk.selectNone} />
    </div>
  )
}

function InboxBody({ desk: { rows, view, current, selected, open, select } }: DeskProps) {
  const problem = inboxProblem.value
  if (problem && rows.length === 0) return <ProblemNote problem={problem} onRetry={loadInbox} />
  if (!isInboxLoaded.value) return <Loading what="your inbox" />
  if (rows.length > 0)
    return <InboxList rows={rows} current={current} selected={selected} onOpen={open} onSelect={select} />
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
