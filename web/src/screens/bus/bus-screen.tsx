import './bus.css'
import { useEffect } from 'preact/hooks'
import type { BusStatus } from '../../../../src/model/bus/bus.ts'
import { postern } from '../../api/postern.ts'
import { connection } from '../../live/connection.ts'
import { useLive } from '../../live/use-live.ts'
import { Empty } from '../../parts/bits.tsx'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { Time } from '../../parts/time.tsx'
import { formatBytes } from '../../parts/time-text.ts'
import { pathTo } from '../../router/route.ts'
import { route } from '../../router/router.ts'
import { BusView } from './bus-view.tsx'

/** A bus is a file that anyone may write, so no event tells of a new one. */
const LOOK_MS = 5_000

function lookNowAndThen(look: () => void): () => void {
  const timer = setInterval(() => {
    if (!document.hidden && connection.peek() === 'live') look()
  }, LOOK_MS)
  return () => clearInterval(timer)
}

const idOf = ({ project_id, task_id }: Pick<BusStatus, 'project_id' | 'task_id'>) =>
  task_id === undefined ? project_id : `${project_id}/${task_id}`

export function BusScreen() {
  const { project, task } = route.value.params
  const live = useLive({ key: 'buses', load: () => postern.bus.list({}) })
  useEffect(() => lookNowAndThen(live.refresh), [live])
  const current = project === undefined ? undefined : idOf({ project_id: project, ...(task && { task_id: task }) })
  const buses = [...(live.value.value ?? [])].sort((one, other) => idOf(one).localeCompare(idOf(other)))
  return (
    <>
      <ScreenHead title="Bus" note="The logs of projects and tasks" />
      <div class="panes panes-narrow" data-shows={current ? 'detail' : 'list'}>
        <section class="pane" aria-label="List of buses">
          <ListPane
            live={live}
            items={buses}
            label="Buses"
            current={current}
            idOf={idOf}
            path={(id) => pathTo('bus', id?.split('/') ?? [])}
            row={rowOf}
            empty={
              <Empty
                icon="bus"
                title="No bus yet"
                commands={['postern bus post --project shop --type FACT "The build is green."']}
              >
                The first entry makes one: a Markdown file that only grows.
              </Empty>
            }
          />
        </section>
        <section class="pane" aria-label="Entries">
          {project === undefined ? (
            <Empty icon="bus" title="Choose a bus" />
          ) : (
            <BusView key={current} project={project} task={task} onPosted={live.refresh} />
          )}
        </section>
      </div>
    </>
  )
}

function rowOf({ project_id, task_id, bytes, changedAt }: BusStatus) {
  return (
    <RowText
      lead={task_id === undefined ? undefined : <span class="bus-indent" />}
      title={task_id ?? project_id}
      end={<Time at={changedAt} isShort />}
      note={`${task_id === undefined ? 'project' : 'task'} · ${formatBytes(bytes)}`}
    />
  )
}
