import type { InboxMessage } from '../../../../src/model/delivery.ts'
import type { InboxPage } from '../../../../src/model/postern.ts'
import { call, postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Command, Facts, Loading, ProblemNote } from '../../parts/bits.tsx'
import { now } from '../../parts/clock.ts'
import { Icon } from '../../parts/icon.tsx'
import { headlineOf, toneOfState } from '../../parts/message-text.ts'
import { Block, Sheet } from '../../parts/sheet.tsx'
import { Time } from '../../parts/time.tsx'
import { Avatar } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { compose } from '../../shell/layers.ts'
import { nameOf } from '../../state/directory.ts'
import { CONDITIONS, conditionOf, hookHealthOf, wakeRouteOf } from './condition.ts'

interface AgentSheetProps {
  readonly id: string
  readonly back: string
}

const LATEST = 25

export function AgentSheet({ id, back }: AgentSheetProps) {
  const live = useLive({
    key: id,
    load: () => load(id),
    on: ({ subject, agents }) => agents === null || agents.includes(id) || subject === id,
  })
  const found = live.value.value
  const problem = live.problem.value
  if (!found) return problem ? <ProblemNote problem={problem} onRetry={live.refresh} /> : <Loading what="the agent" />
  const { agent, latest, sessions } = found
  const { displayName, kind, pending, session } = agent
  const condition = conditionOf(agent)
  const health = hookHealthOf(agent, now.value)
  return (
    <Sheet
      title={displayName}
      back={back}
      actions={
        <Button icon="plus" onClick={() => compose([id])}>
          Write to {displayName}
        </Button>
      }
    >
      <div class="agent-head">
        <Avatar id={id} size="large" />
        <div>
          <p>
            <code>{id}</code> · {kind === 'human' ? 'person' : kind}
            {agent.isOwner && ' · owner'}
          </p>
          <p class="soft">
            registered <Time at={agent.createdAt} />
          </p>
        </div>
        <div class="agent-figures">
          <Figure value={pending} words="unread" />
          {kind === 'ai' && (
            <div class="figure">
              <Chip tone={CONDITIONS[condition].tone}>{CONDITIONS[condition].words}</Chip>
              <span class="faint">{session ? <Time at={session.idleSince ?? session.lastEventAt} /> : ''}</span>
            </div>
          )}
        </div>
      </div>
      {kind === 'ai' && (
        <Block title="Session">
          {session ? (
            <Facts
              rows={[
                ['host', session.host],
                ['session', <code key="id">{session.id}</code>],
                ['machine', `${session.machine}${session.pid === null ? '' : `, process ${session.pid}`}`],
                ['project', session.project ?? 'not said'],
                ['began', <Time key="began" at={session.startedAt} />],
                ['last heard of', <Time key="last" at={session.lastEventAt} />],
                ['wake route', wakeRouteOf(session.host)],
                [
                  'hooks',
                  <span key="hooks" class={health.ok ? 'agent-well' : 'agent-ill'}>
                    <Icon name={health.ok ? 'check' : 'warning'} size={13} /> {health.words}
                  </span>,
                ],
              ]}
            />
          ) : (
            <>
              <p class="soft">It has had no session yet. Let its host call Postern:</p>
              <Command text={`postern init --host claude-code --agent ${id}`} />
            </>
          )}
          {sessions > 1 && <p class="faint">{sessions} sessions are open.</p>}
        </Block>
      )}
      <Block title="Latest in its inbox">
        {latest.length === 0 ? (
          <p class="soft">Nothing has come for {displayName} yet.</p>
        ) : (
          <ul class="latest">
            {latest.map((message) => (
              <li key={message.id}>
                <a href={pathTo('trace', [message.id])}>{headlineOf(message)}</a>
                <span class="faint">from {nameOf(message.from.id)}</span>
                <Chip tone={toneOfState(message.state)}>{message.state}</Chip>
                <span class="faint">
                  <Time at={message.createdAt} isShort />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Block>
    </Sheet>
  )
}

function Figure({ value, words }: { readonly value: number; readonly words: string }) {
  return (
    <div class="figure">
      <strong>{value}</strong>
      <span class="faint">{words}</span>
    </div>
  )
}

async function load(id: string) {
  const [agent, page, sessions] = await Promise.all([
    postern.agents.show({ id }),
    call('inbox.list', { agent: id, which: 'all', order: 'newest', limit: LATEST }) as Promise<InboxPage>,
    postern.sessions.list({ agent: id }),
  ])
  const latest: readonly InboxMessage[] = page.items
  return { agent, latest, sessions: sessions.filter(({ endedAt }) => endedAt === null).length }
}
