import type { InboxMessage } from '../../../../src/model/delivery.ts'
import type { InboxPage } from '../../../../src/model/postern.ts'
import { call } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Chip } from '../../parts/bits.tsx'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { headlineOf, toneOfState } from '../../parts/message-text.ts'
import { Time } from '../../parts/time.tsx'
import { Avatar } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { nameOf } from '../../state/directory.ts'
import { NoMessages } from './trace-screen.tsx'

const MOST = 200

/** What went through lately, to whomever: each leads to its trace. */
export function RecentMessages() {
  const live = useLive({
    key: 'recent',
    load: async () => ((await call('inbox.list', { which: 'all', order: 'newest', limit: MOST })) as InboxPage).items,
    on: ['message.created', 'delivery.*'],
  })
  return (
    <div class="pane recent">
      <ListPane
        live={live}
        items={live.value.value ?? []}
        label="Latest deliveries"
        current={undefined}
        idOf={({ id, agent }) => `${id} ${agent}`}
        path={(id) => pathTo('trace', id === undefined ? [] : [id.split(' ')[0]])}
        row={rowOf}
        empty={<NoMessages />}
      />
    </div>
  )
}

function rowOf(message: InboxMessage) {
  const { from, agent, state, createdAt } = message
  return (
    <RowText
      lead={<Avatar id={from.id} />}
      title={headlineOf(message)}
      end={<Time at={createdAt} isShort />}
      note={`${nameOf(from.id)} → ${nameOf(agent)}`}
      more={<Chip tone={toneOfState(state)}>{state}</Chip>}
    />
  )
}
