import { useSignal } from '@preact/signals'
import type { InboxMessage } from '../../../../src/model/delivery.ts'
import type { NewService } from '../../../../src/model/sources/services.ts'
import { postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Facts, Json, Loading, ProblemNote } from '../../parts/bits.tsx'
import { headlineOf, toneOfState } from '../../parts/message-text.ts'
import { Block, Sheet } from '../../parts/sheet.tsx'
import { Time } from '../../parts/time.tsx'
import { attempt, toast } from '../../parts/toasts.tsx'
import { Who } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'

interface ServiceSheetProps {
  readonly id: string
  readonly back: string
  onSecrets(service: NewService): void
}

const LAST = 50

export function ServiceSheet({ id, back, onSecrets }: ServiceSheetProps) {
  const live = useLive({ key: id, load: () => load(id), on: ['service.*', 'message.created', 'delivery.*'] })
  const isSure = useSignal(false)
  const found = live.value.value
  const problem = live.problem.value
  if (!found) return problem ? <ProblemNote problem={problem} onRetry={live.refresh} /> : <Loading what="the service" />
  const { service, events } = found
  const { name, agent, createdBy, createdAt, rotatedAt, overlapUntilAt, revokedAt } = service

  async function rotate(): Promise<void> {
    const rotated = await attempt(() => postern.services.rotate({ id }))
    if (rotated) onSecrets(rotated)
    live.refresh()
  }

  async function revoke(): Promise<void> {
    if (!isSure.value) {
      isSure.value = true
      return
    }
    const revoked = await attempt(() => postern.services.revoke({ id }))
    if (revoked) toast(`The keys of ${name} are worth nothing any more`)
    isSure.value = false
    live.refresh()
  }

  async function replay(eventId: string): Promise<void> {
    const again = await attempt(() => postern.services.replay({ id, eventId }))
    if (again) toast('Brought again')
    live.refresh()
  }

  return (
    <Sheet
      title={name}
      back={back}
      actions={
        revokedAt === null ? (
          <>
            <Button icon="rotate" onClick={rotate}>
              New key
            </Button>
            <Button kind="danger" onClick={revoke}>
              {isSure.value ? 'Really revoke' : 'Revoke'}
            </Button>
          </>
        ) : (
          <Chip tone="red">revoked</Chip>
        )
      }
    >
      <Block title="Keys">
        <Facts
          rows={[
            ['wakes', <Who key="agent" id={agent} />],
            ['made by', <Who key="by" id={createdBy} />],
            ['made', <Time key="made" at={createdAt} />],
            ['new key', rotatedAt === null ? 'never' : <Time key="rotated" at={rotatedAt} />],
            ...(overlapUntilAt === null ? [] : [['old key good', <Time key="old" at={overlapUntilAt} />] as const]),
            ['address', <code key="path">{`POST /api/agents/${agent}/trigger`}</code>],
          ]}
        />
      </Block>
      <Block title="Last deliveries">
        {events.length === 0 ? (
          <p class="soft">Nothing has come from {name} yet.</p>
        ) : (
          <ul class="deliveries">
            {events.map((event) => (
              <Delivery
                key={event.id}
                event={event}
                onReplay={() => void replay(event.id)}
                canReplay={revokedAt === null}
              />
            ))}
          </ul>
        )}
      </Block>
    </Sheet>
  )
}

interface DeliveryProps {
  readonly event: InboxMessage
  readonly canReplay: boolean
  onReplay(): void
}

function Delivery({ event, canReplay, onReplay }: DeliveryProps) {
  const { id, payload, context, state, createdAt } = event
  const isReplay = typeof context === 'object' && context !== null && 'replayOf' in context
  return (
    <li>
      <div class="delivery-line">
        <a href={pathTo('trace', [id])}>{headlineOf(event)}</a>
        {isReplay && <Chip tone="teal">replay</Chip>}
        <Chip tone={toneOfState(state)}>{state}</Chip>
        <span class="faint">
          <Time at={createdAt} isShort />
        </span>
        <Button icon="rotate" onClick={onReplay} disabled={!canReplay}>
          Replay
        </Button>
      </div>
      <Json value={payload} title="Payload" />
    </li>
  )
}

async function load(id: string) {
  const [services, events] = await Promise.all([
    postern.services.list({ revoked: true }),
    postern.services.events({ id, limit: LAST }),
  ])
  const service = services.find((each) => each.id === id)
  if (!service) throw new Error(`There is no service ${id}.`)
  return { service, events }
}
