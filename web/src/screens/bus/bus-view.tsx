import { useSignal } from '@preact/signals'
import { meaningOf } from '../../../../src/model/bus/meaning.ts'
import { useKeys } from '../../keys/keys.ts'
import { Button, Empty, IconButton, Loading, ProblemNote } from '../../parts/bits.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { pathTo } from '../../router/route.ts'
import { goTo, navigate, route, setQuery } from '../../router/router.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { keyOf, useEntries } from './entries.ts'
import { Entry } from './entry.tsx'
import { PostEntry } from './post-entry.tsx'
import { chosenTypes, TypeBar } from './type-bar.tsx'

interface BusViewProps {
  readonly project: string
  readonly task: string | undefined
  onPosted(): void
}

const ENTRY_HEIGHT = 84

export function BusView({ project, task, onPosted }: BusViewProps) {
  const { view, issue, merged } = route.value.query
  const isGraph = view === 'graph'
  const isMerged = merged === 'yes' && task !== undefined
  const place = { project_id: project, ...(task && { task_id: task }) }
  const entries = useEntries({ ...place, ...(isMerged && { merged: true }) }, `${project}/${task}/${isMerged}`)
  const isPosting = useSignal(false)
  const chosen = chosenTypes()
  const all = entries.items.value
  const shown = all.filter(
    (entry) =>
      (chosen.length === 0 || chosen.includes(meaningOf(entry.type))) &&
      (issue === undefined || entry.issue_id === issue || entry.msg_id === issue),
  )
  useKeys({
    title: 'Bus',
    shortcuts: [
      { keys: 'f', label: 'Follow, or not', run: toggleFollow },
      { keys: 'v', label: 'Entries or issues', run: () => setQuery({ view: isGraph ? undefined : 'graph' }) },
      {
        keys: 'r',
        label: 'Post an entry',
        run: () => {
          isPosting.value = true
        },
      },
    ],
  })

  function toggleFollow(): void {
    entries.isFollowing.value = !entries.isFollowing.value
  }

  return (
    <article class="sheet" aria-label={task ?? project}>
      <header class="sheet-head">
        <span class="only-phone">
          <IconButton icon="back" label="Back to the list" onClick={() => goTo('bus')} />
        </span>
        <h2>
          {task === undefined ? (
            project
          ) : (
            <>
              <span class="faint">{project} / </span>
              {task}
            </>
          )}
        </h2>
        <div class="sheet-actions">
          {task !== undefined && !isGraph && (
            <Button
              onClick={() => setQuery({ merged: isMerged ? undefined : 'yes' })}
              title="The entries of the project too"
            >
              {isMerged ? 'Task alone' : 'With project'}
            </Button>
          )}
          <Button keys="v" onClick={() => setQuery({ view: isGraph ? undefined : 'graph' })}>
            {isGraph ? 'Entries' : 'Issues'}
          </Button>
          <Button
            icon="plus"
            onClick={() => {
              isPosting.value = true
            }}
          >
            Post
          </Button>
        </div>
      </header>
      {isGraph ? (
        <Lazy name="the issue graph" load={async () => (await import('./issue-graph.tsx')).IssueGraphView} />
      ) : (
        <>
          <TypeBar entries={all} issue={issue} isFollowing={entries.isFollowing.value} onFollow={toggleFollow} />
          {entries.problem.value && <ProblemNote problem={entries.problem.value} />}
          {entries.faults.value.length > 0 && (
            <p class="bus-faults">
              {entries.faults.value.length} parts of the file are no entries, or damaged:{' '}
              {entries.faults.value[0]?.reason}.
            </p>
          )}
          {!entries.isLoaded.value && <Loading what="the bus" />}
          {entries.isLoaded.value && shown.length === 0 && !entries.problem.value && (
            <Empty icon="bus" title={all.length === 0 ? 'Nothing on this bus yet' : 'No such entries'} />
          )}
          {shown.length > 0 && (
            <VirtualList
              class="entries"
              items={shown}
              label={`Entries of ${task ?? project}`}
              role="log"
              isMeasured
              sticksToEnd={entries.isFollowing.value}
              keyOf={keyOf}
              estimate={() => ENTRY_HEIGHT}
              onBeginning={entries.loadEarlier}
              row={(entry) => (
                <Entry
                  entry={entry}
                  parents={all}
                  onIssue={(id) => navigate(pathTo('bus', [project, task], { ...route.value.query, issue: id }))}
                />
              )}
            />
          )}
        </>
      )}
      {isPosting.value && (
        <PostEntry
          place={place}
          onClose={() => {
            isPosting.value = false
            onPosted()
          }}
        />
      )}
    </article>
  )
}
