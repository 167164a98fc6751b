import '../agents/agents.css'
import './spaces.css'
import { useSignal } from '@preact/signals'
import type { SpaceStatus } from '../../../../src/model/sources/spaces.ts'
import { postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Empty } from '../../parts/bits.tsx'
import { countOf } from '../../parts/count.ts'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { Time } from '../../parts/time.tsx'
import { pathTo } from '../../router/route.ts'
import { route } from '../../router/router.ts'
import { Conversation } from './conversation.tsx'
import { NewSpace } from './new-space.tsx'

export function SpacesScreen() {
  const current = route.value.params['id']
  const isMaking = useSignal(false)
  const live = useLive({ key: 'spaces', load: () => postern.spaces.list({}), on: ['space.*'] })
  const path = (id?: string) => pathTo('spaces', [id])
  return (
    <>
      <ScreenHead title="Spaces" note="Conversations of people and agents">
        <Button
          icon="plus"
          onClick={() => {
            isMaking.value = true
          }}
        >
          New space
        </Button>
      </ScreenHead>
      <div class="panes panes-narrow" data-shows={current ? 'detail' : 'list'}>
        <section class="pane" aria-label="List of spaces">
          <ListPane
            live={live}
            items={live.value.value ?? []}
            label="Spaces"
            current={current}
            idOf={({ id }) => id}
            path={path}
            row={rowOf}
            empty={
              <Empty icon="space" title="No space yet" commands={['postern space create alpha --members quinn']}>
                A space is a conversation: what is said in it reaches every member.
              </Empty>
            }
          />
        </section>
        <section class="pane" aria-label="Conversation">
          {current ? (
            <Conversation key={current} id={current} back={path()} />
          ) : (
            <Empty icon="space" title="Choose a space" />
          )}
        </section>
      </div>
      {isMaking.value && (
        <NewSpace
          onClose={() => {
            isMaking.value = false
          }}
        />
      )}
    </>
  )
}

function rowOf({ name, joining, members, posts, lastPostAt, createdAt }: SpaceStatus) {
  return (
    <RowText
      title={`# ${name}`}
      end={<Time at={lastPostAt ?? createdAt} isShort />}
      note={`${countOf(members, 'member')} · ${countOf(posts, 'post')}${joining === 'open' ? ' · open' : ''}`}
    />
  )
}
