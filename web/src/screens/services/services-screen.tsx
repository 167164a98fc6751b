import './services.css'
import { useSignal } from '@preact/signals'
import type { Service } from '../../../../src/model/sources/service.ts'
import type { NewService } from '../../../../src/model/sources/services.ts'
import { postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Empty } from '../../parts/bits.tsx'
import { countOf } from '../../parts/count.ts'
import { ListPane, RowText } from '../../parts/list-pane.tsx'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { Time } from '../../parts/time.tsx'
import { pathTo } from '../../router/route.ts'
import { route } from '../../router/router.ts'
import { nameOf } from '../../state/directory.ts'
import { NewServiceForm } from './new-service.tsx'
import { Secrets } from './secrets.tsx'
import { ServiceSheet } from './service-sheet.tsx'

export function ServicesScreen() {
  const current = route.value.params['id']
  const isMaking = useSignal(false)
  const made = useSignal<NewService | undefined>(undefined)
  const live = useLive({
    key: 'services',
    load: () => postern.services.list({ revoked: true }),
    on: ['service.*', 'message.created'],
  })
  const path = (id?: string) => pathTo('services', [id])
  return (
    <>
      <ScreenHead title="Services" note="Outside systems that may wake an agent">
        <Button
          icon="plus"
          onClick={() => {
            isMaking.value = true
          }}
        >
          New service
        </Button>
      </ScreenHead>
      <div class="panes" data-shows={current ? 'detail' : 'list'}>
        <section class="pane" aria-label="List of services">
          <ListPane
            live={live}
            items={live.value.value ?? []}
            label="Services"
            current={current}
            idOf={({ id }) => id}
            path={path}
            row={rowOf}
            empty={
              <Empty icon="service" title="No service yet" commands={['postern service create ci --agent quinn']}>
                CI, alerts, a form: each gets a key of its own and wakes one agent.
              </Empty>
            }
          />
        </section>
        <section class="pane" aria-label="Service">
          {current ? (
            <ServiceSheet
              key={current}
              id={current}
              back={path()}
              onSecrets={(value) => {
                made.value = value
              }}
            />
          ) : (
            <Empty icon="service" title="Choose a service">
              See its last deliveries, bring one again, or give it a new key.
            </Empty>
          )}
        </section>
      </div>
      {isMaking.value && (
        <NewServiceForm
          onMade={(value) => {
            isMaking.value = false
            made.value = value
          }}
          onClose={() => {
            isMaking.value = false
          }}
        />
      )}
      {made.value && (
        <Secrets
          service={made.value}
          onClose={() => {
            made.value = undefined
          }}
        />
      )}
    </>
  )
}

function rowOf({ name, agent, events, lastEventAt, createdAt, revokedAt, overlapUntilAt }: Service) {
  return (
    <RowText
      title={name}
      end={<Time at={lastEventAt ?? createdAt} isShort />}
      note={`wakes ${nameOf(agent)} · ${countOf(events, 'event')}`}
      more={
        revokedAt !== null ? (
          <Chip tone="red">revoked</Chip>
        ) : overlapUntilAt !== null && overlapUntilAt > Date.now() ? (
          <Chip tone="amber">two keys</Chip>
        ) : null
      }
    />
  )
}
