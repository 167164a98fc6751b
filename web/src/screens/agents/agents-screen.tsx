import './agents.css'
import { useEffect } from 'preact/hooks'
import type { AgentStatus } from '../../../../src/model/postern.ts'
import { Chip, Empty } from '../../parts/bits.tsx'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { ScreenHead, Tabs } from '../../parts/screen-head.tsx'
import { Time } from '../../parts/time.tsx'
import { Avatar } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { route } from '../../router/router.ts'
import { directory, followMail } from '../../state/directory.ts'
import { AgentSheet } from './agent-sheet.tsx'
import { CONDITIONS, conditionOf } from './condition.ts'

export function AgentsScreen() {
  const { params, query } = route.value
  const current = params['id']
  const view = query['view'] ?? 'all'
  useEffect(followMail, [])
  const all = directory.value.value ?? []
  const kinds = (kind: string) => all.filter((agent) => agent.kind === kind)
  const path = (id?: string) => pathTo('agents', [id], { view: query['view'] })
  return (
    <>
      <ScreenHead title="Agents" note="Everybody with an inbox" />
      <Tabs
        label="Which agents"
        current={view}
        tabs={[
          { id: 'all', title: 'All', count: all.length },
          { id: 'ai', title: 'Agents', count: kinds('ai').length },
          { id: 'human', title: 'People', count: kinds('human').length },
          { id: 'service', title: 'Services', count: kinds('service').length },
        ]}
      />
      <div class="panes" data-shows={current ? 'detail' : 'list'}>
        <section class="pane" aria-label="List of agents">
          <ListPane
            live={directory}
            items={view === 'all' ? all : kinds(view)}
            label="Agents"
            current={current}
            idOf={({ id }) => id}
            path={path}
            row={rowOf}
            empty={
              <Empty
                icon="agent"
                title="Nobody is registered"
                commands={['postern agent add quinn', 'postern init --host claude-code --agent quinn']}
              >
                Register an agent, and let its host call Postern at its hooks.
              </Empty>
            }
          />
        </section>
        <section class="pane" aria-label="Agent">
          {current ? (
            <AgentSheet key={current} id={current} back={path()} />
          ) : (
            <Empty icon="agent" title="Choose an agent">
              See its session, what waits for it, how it is woken and whether its hooks answer.
            </Empty>
          )}
        </section>
      </div>
    </>
  )
}

function rowOf(agent: AgentStatus) {
  const condition = conditionOf(agent)
  const { id, displayName, kind, pending, session } = agent
  return (
    <RowText
      lead={
        <span class={`presence presence-${condition}`}>
          <Avatar id={id} />
        </span>
      }
      title={displayName}
      end={session ? <Time at={session.lastEventAt} isShort /> : ''}
      note={
        kind === 'human'
          ? `person${agent.isOwner ? ', owner' : ''}`
          : session
            ? `${CONDITIONS[condition].words} · ${session.host}`
            : CONDITIONS[condition].words
      }
      more={pending > 0 && <Chip tone={condition === 'working' ? 'blue' : 'amber'}>{pending} unread</Chip>}
    />
  )
}
