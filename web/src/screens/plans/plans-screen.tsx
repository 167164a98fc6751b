import './plans.css'
import type { PlanInFull } from '../../../../src/model/sources/plans.ts'
import { postern } from '../../api/postern.ts'
import { useKeys } from '../../keys/keys.ts'
import { useLive } from '../../live/use-live.ts'
import { Chip, Empty } from '../../parts/bits.tsx'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { ScreenHead, Tabs } from '../../parts/screen-head.tsx'
import { Time } from '../../parts/time.tsx'
import { Avatar } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { route, setQuery } from '../../router/router.ts'
import { nameOf } from '../../state/directory.ts'
import { Calendar } from './calendar.tsx'
import { PlanSheet } from './plan-sheet.tsx'

export function PlansScreen() {
  const { params, query } = route.value
  const current = params['id']
  const view = query['view'] ?? 'list'
  const live = useLive({ key: 'plans', load: () => postern.plans.list({ all: true }), on: ['plan.*', 'delivery.*'] })
  const all = live.value.value ?? []
  const path = (id?: string) => pathTo('plans', [id], { view: query['view'] })
  useKeys({
    title: 'Plans',
    shortcuts: [
      { keys: 'v', label: 'List or calendar', run: () => setQuery({ view: view === 'list' ? 'calendar' : undefined }) },
    ],
  })
  const empty = (
    <Empty
      icon="plan"
      title="No plan yet"
      commands={['postern plan set --agent quinn --name stand-up --cron "0 9 * * 1-5" "Say what is done"']}
    >
      A plan is a message that an agent sets for later: once, or again and again.
    </Empty>
  )
  return (
    <>
      <ScreenHead title="Plans" note="What is set for later" />
      <Tabs
        label="How plans are shown"
        current={view}
        tabs={[
          { id: 'list', title: 'List', count: all.length },
          { id: 'calendar', title: 'Calendar' },
        ]}
      />
      {view === 'calendar' ? (
        all.length === 0 && live.value.value ? (
          empty
        ) : (
          <Calendar plans={all} />
        )
      ) : (
        <div class="panes" data-shows={current ? 'detail' : 'list'}>
          <section class="pane" aria-label="List of plans">
            <ListPane
              live={live}
              items={all}
              label="Plans"
              current={current}
              idOf={({ id }) => id}
              path={path}
              row={rowOf}
              empty={empty}
            />
          </section>
          <section class="pane" aria-label="Plan">
            {current ? (
              <PlanSheet key={current} id={current} back={path()} />
            ) : (
              <Empty icon="plan" title="Choose a plan">
                See when it fires next and what became of the last time; pause it, or run it now.
              </Empty>
            )}
          </section>
        </div>
      )}
    </>
  )
}

function rowOf({ agent, name, cron, zone, nextRunAt, pausedAt, runs }: PlanInFull) {
  return (
    <RowText
      lead={<Avatar id={agent} />}
      title={name}
      end={pausedAt === null && nextRunAt !== null ? <Time at={nextRunAt} /> : ''}
      note={`${nameOf(agent)} · ${cron ? `${cron} (${zone})` : 'once'}`}
      more={
        pausedAt !== null ? (
          <Chip tone="amber">paused</Chip>
        ) : nextRunAt === null ? (
          <Chip>{runs > 0 ? 'done' : 'waits'}</Chip>
        ) : null
      }
    />
  )
}
