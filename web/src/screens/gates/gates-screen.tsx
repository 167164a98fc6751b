import './gates.css'
import { GATE_STATES, type Gate, type GateState } from '../../../../src/model/gate.ts'
import { postern } from '../../api/postern.ts'
import { withOpen } from '../../api/with-open.ts'
import { useLive } from '../../live/use-live.ts'
import { Chip, Empty, type Tone } from '../../parts/bits.tsx'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { ScreenHead, Tabs } from '../../parts/screen-head.tsx'
import { Time } from '../../parts/time.tsx'
import { Avatar } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { route } from '../../router/router.ts'
import { nameOf } from '../../state/directory.ts'
import { GateSheet } from './gate-sheet.tsx'

const MOST = 1_000
/** In the order in which people want to know of them. */
const ORDER: readonly GateState[] = ['open', 'breached', 'resolved', 'waived', 'expired']

export const GATE_TONES: Readonly<Record<GateState, Tone>> = {
  open: 'amber',
  breached: 'red',
  resolved: 'green',
  waived: 'blue',
  expired: 'plain',
}

export function GatesScreen() {
  const { params, query } = route.value
  const current = params['id']
  const state = GATE_STATES.find((each) => each === query['state']) ?? 'open'
  const live = useLive({
    key: 'gates',
    load: loadGates,
    on: ['gate.*'],
  })
  const all = live.value.value ?? []
  const path = (id?: string) => pathTo('gates', [id], { state: query['state'] })
  return (
    <>
      <ScreenHead title="Gates" note="What an agent must meet before it may go on" />
      <Tabs
        label="Which gates"
        field="state"
        current={state}
        tabs={ORDER.map((id) => ({
          id,
          title: `${id[0]?.toUpperCase()}${id.slice(1)}`,
          count: all.filter((gate) => gate.state === id).length,
        }))}
      />
      <div class="panes" data-shows={current ? 'detail' : 'list'}>
        <section class="pane" aria-label="List of gates">
          <ListPane
            live={live}
            items={all.filter((gate) => gate.state === state)}
            label="Gates"
            current={current}
            idOf={({ id }) => id}
            path={path}
            row={rowOf}
            empty={<NoGates state={state} />}
          />
        </section>
        <section class="pane" aria-label="Gate">
          {current ? (
            <GateSheet key={current} id={current} back={path()} />
          ) : (
            <Empty icon="gate" title="Choose a gate">
              It says why it holds, what it waits for, and lets you resolve or waive it.
            </Empty>
          )}
        </section>
      </div>
    </>
  )
}

async function loadGates(): Promise<readonly Gate[]> {
  const lists = [postern.gates.list({ limit: MOST }), postern.gates.list({ all: true, limit: MOST })]
  const [open = [], latest = []] = await Promise.all(lists)
  return withOpen(open, latest)
}

function rowOf({ agent, reason, kind, mode, createdAt, closedAt, closedBy, dueAt, state }: Gate) {
  const note =
    state === 'open'
      ? `holds ${nameOf(agent)} · waits for ${WAITS_FOR[kind] ?? kind}`
      : `${nameOf(agent)} · ${state} by ${nameOf(closedBy ?? 'system')}`
  return (
    <RowText
      lead={<Avatar id={agent} />}
      title={shortReason(reason)}
      end={<Time at={closedAt ?? createdAt} isShort />}
      note={note}
      more={
        <>
          {mode === 'soft' && <Chip title="It only warns">soft</Chip>}
          {state === 'open' && dueAt !== null && (
            <Chip tone="amber">
              until <Time at={dueAt} />
            </Chip>
          )}
        </>
      }
    />
  )
}

/** The reason of a question's gate is written for its agent: people want only the question. */
export function shortReason(reason: string): string {
  return reason.replace(/^Waiting for an answer to dec_\w+: (.*?)\.? Wait for it with: .*$/s, '$1')
}

export const WAITS_FOR: Readonly<Record<Gate['kind'], string>> = {
  human: 'a person',
  timer: 'its time',
  message: 'a reply',
  decision: 'an answer',
  command: 'a command that succeeds',
  gate: 'another gate',
  service: 'an event of a service',
  bus: 'an entry on a bus',
}

function NoGates({ state }: { readonly state: GateState }) {
  if (state !== 'open') return <Empty icon="gate" title={`No gate is ${state}`} />
  return (
    <Empty
      icon="gate"
      title="No gate is open"
      commands={['postern gate create --agent quinn --kind human --reason "Show me first"']}
    >
      Nothing holds anybody. A gate holds an agent until something has come.
    </Empty>
  )
}
