import type { Decision } from '../../../../src/model/decision.ts'
import { postern } from '../../api/postern.ts'
import { withOpen } from '../../api/with-open.ts'
import { useLive } from '../../live/use-live.ts'
import { Chip, Empty } from '../../parts/bits.tsx'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { ScreenHead, Tabs } from '../../parts/screen-head.tsx'
import { Sheet } from '../../parts/sheet.tsx'
import { Time } from '../../parts/time.tsx'
import { Avatar } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { route } from '../../router/router.ts'
import { nameOf } from '../../state/directory.ts'
import { me } from '../../state/me.ts'
import { DecisionPanel } from './decision-panel.tsx'

const MOST = 500

export function DecisionsScreen() {
  const { params, query } = route.value
  const current = params['id']
  const live = useLive({
    key: 'decisions',
    load: loadDecisions,
    on: ['decision.*'],
  })
  const all = live.value.value ?? []
  const open = all.filter(({ state }) => state === 'open')
  const ended = all.filter(({ state }) => state !== 'open')
  const view = query['view'] ?? (open.length === 0 && ended.length > 0 && !query['view'] ? 'ended' : 'open')
  const path = (id?: string) => pathTo('decisions', [id], { view: query['view'] })
  return (
    <>
      <ScreenHead title="Decisions" note="Questions that hold an agent until a person answers" />
      <Tabs
        label="Which decisions"
        current={view}
        tabs={[
          { id: 'open', title: 'Open', count: open.length },
          { id: 'ended', title: 'Ended', count: ended.length },
        ]}
      />
      <div class="panes" data-shows={current ? 'detail' : 'list'}>
        <section class="pane" aria-label="List of decisions">
          <ListPane
            live={live}
            items={view === 'open' ? open : ended}
            label="Decisions"
            current={current}
            idOf={({ id }) => id}
            path={path}
            row={rowOf}
            empty={
              <Empty
                icon="decision"
                title="Nobody waits for an answer"
                commands={['postern decision create --agent quinn --option a=Yes --option b=No "Shall I?"']}
              >
                An agent asks with a command such as this, and is held until a person answers.
              </Empty>
            }
          />
        </section>
        <section class="pane" aria-label="Decision">
          {current ? (
            <Sheet title="Decision" back={path()}>
              <DecisionPanel key={current} id={current} />
            </Sheet>
          ) : (
            <Empty icon="decision" title="Choose a question" />
          )}
        </section>
      </div>
    </>
  )
}

async function loadDecisions(): Promise<readonly Decision[]> {
  const lists = [postern.decisions.list({ limit: MOST }), postern.decisions.list({ all: true, limit: MOST })]
  const [open = [], latest = []] = await Promise.all(lists)
  return withOpen(open, latest)
}

function rowOf({ agent, question, asked, createdAt, dueAt, state, answer, options }: Decision) {
  const label = options.find(({ key }) => key === answer?.selected)?.label ?? answer?.text
  const isMine = state === 'open' && asked.includes(me.value)
  return (
    <RowText
      lead={<Avatar id={agent} />}
      title={question}
      end={<Time at={answer?.at ?? createdAt} isShort />}
      note={state === 'open' ? `${nameOf(agent)} waits for ${asked.map(nameOf).join(', ')}` : (label ?? state)}
      more={
        state === 'open' ? (
          <>
            {dueAt !== null && (
              <Chip tone="amber">
                due <Time at={dueAt} />
              </Chip>
            )}
            {isMine && <Chip tone="violet">for you</Chip>}
          </>
        ) : (
          <Chip tone={state === 'answered' ? 'green' : 'plain'}>{state}</Chip>
        )
      }
    />
  )
}
