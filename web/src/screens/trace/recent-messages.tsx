import type { PosternEvent } from '../../../../src/model/network/event.ts'
import { postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Chip } from '../../parts/bits.tsx'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { toneOfType } from '../../parts/message-text.ts'
import { Time } from '../../parts/time.tsx'
import { Avatar } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { nameOf } from '../../state/directory.ts'
import { NoMessages } from './trace-screen.tsx'

/** So many events are looked through for messages. */
const LOOKED_AT = 1_000
const MOST = 200

/** What went through lately, to whomever: each leads to its trace. */
export function RecentMessages() {
  const live = useLive({ key: 'recent', load: loadRecent, on: ['message.created'] })
  return (
    <div class="pane recent">
      <ListPane
        live={live}
        items={live.value.value ?? []}
        label="Latest messages"
        current={undefined}
        idOf={({ subject }) => subject}
        path={(id) => pathTo('trace', [id])}
        row={rowOf}
        empty={<NoMessages />}
      />
    </div>
  )
}

/** An inbox is somebody's; what went to whomever is told by the events. */
async function loadRecent(): Promise<readonly PosternEvent[]> {
  const { items } = await postern.events.list({ latest: LOOKED_AT, limit: LOOKED_AT, types: ['message.created'] })
  return items.toReversed().slice(0, MOST)
}

/** What an event tells of a message; one that is kept no more has only its id. */
interface Told {
  readonly from?: { readonly id: string }
  readonly to?: readonly string[]
  readonly type?: string
  readonly subject?: string | null
}

function rowOf({ subject: id, at, data }: PosternEvent) {
  const { from, to = [], type = 'message', subject } = (data ?? {}) as Told
  return (
    <RowText
      lead={<Avatar id={from?.id ?? 'system'} />}
      title={subject?.trim() || id}
      end={<Time at={at} isShort />}
      note={from ? `${nameOf(from.id)} → ${to.map(nameOf).join(', ')}` : 'kept no more'}
      more={<Chip tone={toneOfType(type)}>{type}</Chip>}
    />
  )
}
