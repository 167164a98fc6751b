import { useSignal } from '@preact/signals'
import { BUS_TYPES } from '../../../../src/model/bus/entry.ts'
import { meaningOf } from '../../../../src/model/bus/meaning.ts'
import { useKeys } from '../../keys/keys.ts'
import { Button, Empty, IconButton, Loading, ProblemNote } from '../../parts/bits.tsx'
import { Icon } from '../../parts/icon.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { pathTo } from '../../router/route.ts'
import { goTo, navigate, route, setQuery } from '../../router/router.ts'
import { Lazy } from '../../shell/lazy.tsx'
import { useEntries } from './entries.ts'
import { Entry } from './entry.tsx'
import { PostEntry } from './post-entry.tsx'

interface BusViewProps {
  readonly project: string
  readonly task: string | undefined
  onPosted(): void
}

const ENTRY_HEIGHT = 84

export function BusView({ project, task, onPosted }: BusViewProps) {
  const { view, issue, merged, types = '' } = route.value.query
  const isGraph = view === 'graph'
  const isMerged = merged === 'yes' && task !== undefined
  const place = { project_id: project, ...(task && { task_id: task }) }
  const entries = useEntries({ ...place, ...(isMerged && { merged: true }) }, `${project}/${task}/${isMerged}`)
  const isPosting = useSignal(false)
  const chosen = types === '' ? [] : types.split(',')
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

  function toggleType(type: string): void {
    const changed = chosen.includes(type) ? chosen.filter((each) => each !== type) : [...chosen, type]
    setQuery({ types: changed.join(',') || undefined })
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
      </header>
      {isGraph ? (
        <Lazy name="the issue graph" load={async () => (await import('./issue-graph.tsx')).IssueGraphView} />
      ) : (
        <>
          <div class="bus-bar">
            {/* biome-ignore lint/a11y/useSemanticElements: no field of a form */}
            <div class="type-chips" role="group" aria-label="Types">
              {typesOf(all).map(([type, count]) => (
                <button
                  key={type}
                  type="button"
                  class={`type-chip type-${type.toLowerCase()}`}
                  aria-pressed={chosen.includes(type)}
                  onClick={() => toggleType(type)}
                >
                  {type} <span>{count}</span>
                </button>
              ))}
              {issue !== undefined && (
                <button
                  type="button"
                  class="type-chip"
                  aria-pressed="true"
                  onClick={() => setQuery({ issue: undefined })}
                >
                  issue {issue} <Icon name="close" size={10} />
                </button>
              )}
            </div>
            <button type="button" class="follow" aria-pressed={entries.isFollowing.value} onClick={toggleFollow}>
              {entries.isFollowing.value ? 'Following' : 'Follow'}
            </button>
          </div>
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
              keyOf={({ msg_id, task_id }) => `${task_id ?? ''}${msg_id}`}
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

/** The types that occur, those of the seed in their order first. */
function typesOf(entries: readonly { readonly type: string }[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const { type } of entries) counts.set(meaningOf(type), (counts.get(meaningOf(type)) ?? 0) + 1)
  const known: readonly string[] = BUS_TYPES
  const rank = (type: string) => (known.includes(type) ? known.indexOf(type) : known.length)
  return [...counts].sort(([one], [other]) => rank(one) - rank(other) || one.localeCompare(other))
}
