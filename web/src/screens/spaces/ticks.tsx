import type { DeliveryTrace } from '../../../../src/model/receipt.ts'
import { postern } from '../../api/postern.ts'
import { isDeliveryOf } from '../../live/delivery-news.ts'
import { useLive } from '../../live/use-live.ts'
import { Icon } from '../../parts/icon.tsx'
import { formatAbsolute } from '../../parts/time-text.ts'
import { pathTo } from '../../router/route.ts'
import { nameOf } from '../../state/directory.ts'

const HAS_SEEN: readonly string[] = ['seen', 'acted']

/** Who has seen a post, and who has not: one mark for each member. It leads to the trace. */
export function Ticks({ messageId }: { readonly messageId: string }) {
  const live = useLive({
    key: messageId,
    // Where nobody else is a member, no message was sent.
    load: () =>
      postern.inbox.trace({ id: messageId }).then(
        ({ deliveries }) => deliveries,
        () => [] as readonly DeliveryTrace[],
      ),
    on: (news) => isDeliveryOf(news, messageId),
  })
  const deliveries = live.value.value ?? []
  if (deliveries.length === 0) return null
  const seen = deliveries.filter(({ state }) => HAS_SEEN.includes(state)).length
  return (
    <a class="ticks" href={pathTo('trace', [messageId])}>
      <span class="hidden-text">
        Seen by {seen} of {deliveries.length}:
      </span>
      {deliveries.map((delivery) => (
        <span
          key={delivery.agent}
          class={`tick tick-${delivery.state}`}
          title={wordsOf(delivery)}
          data-agent={delivery.agent}
          data-state={delivery.state}
        >
          <Icon
            name={HAS_SEEN.includes(delivery.state) ? 'check' : 'clock'}
            label={HAS_SEEN.includes(delivery.state) ? 'seen by' : 'not seen by'}
            size={11}
          />
          {nameOf(delivery.agent)}
        </span>
      ))}
    </a>
  )
}

function wordsOf({ agent, state, seenAt }: DeliveryTrace): string {
  if (seenAt !== null) return `${nameOf(agent)} has seen it, ${formatAbsolute(seenAt)}`
  return state === 'pending' ? `Not delivered to ${nameOf(agent)} yet` : `${nameOf(agent)}: ${state}`
}
