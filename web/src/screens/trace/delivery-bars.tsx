import type { DeliveryTrace } from '../../../../src/model/receipt.ts'
import { now } from '../../parts/clock.ts'
import { formatExactClock, formatSpan } from '../../parts/time-text.ts'

interface Span {
  readonly name: string
  readonly from: number
  readonly to: number
  readonly tone: 'waiting' | 'offered' | 'seen'
  readonly isOpen: boolean
}

interface DeliveryBarsProps {
  readonly delivery: DeliveryTrace
  readonly sentAt: number
}

/** How long each part of the way took, as bars on one scale. */
export function DeliveryBars({ delivery, sentAt }: DeliveryBarsProps) {
  const spans = spansOf(delivery, sentAt, now.value)
  const end = Math.max(sentAt + 1, ...spans.map(({ to }) => to))
  const share = (at: number) => ((at - sentAt) / (end - sentAt)) * 100
  return (
    <figure class="bars" aria-label="How long each part of the way took">
      {spans.map(({ name, from, to, tone, isOpen }) => (
        <div key={name} class="bar-line">
          <span class="bar-name">{name}</span>
          <span class="bar-track">
            <span
              class={`bar bar-${tone} ${isOpen ? 'is-open' : ''}`}
              style={{ left: `${share(from)}%`, width: `${Math.max(0.6, share(to) - share(from))}%` }}
              title={`${formatExactClock(from)} – ${isOpen ? 'now' : formatExactClock(to)}`}
            />
          </span>
          <span class="bar-span">{formatSpan(to - from)}</span>
        </div>
      ))}
    </figure>
  )
}

function spansOf(delivery: DeliveryTrace, sentAt: number, present: number): readonly Span[] {
  const { offeredAt, printedAt, seenAt, actedAt, state, steps } = delivery
  const ended = ['expired', 'cancelled', 'dead'].includes(state) ? (steps.at(-1)?.at ?? present) : present
  const waitedTo = offeredAt ?? seenAt ?? ended
  const spans: Span[] = [
    { name: 'waited', from: sentAt, to: waitedTo, tone: 'waiting', isOpen: offeredAt === null && seenAt === null },
  ]
  if (offeredAt !== null)
    spans.push({
      name: printedAt === null ? 'offered' : 'shown',
      from: offeredAt,
      to: Math.max(offeredAt, seenAt ?? ended),
      tone: 'offered',
      isOpen: seenAt === null,
    })
  if (seenAt !== null && actedAt !== null)
    spans.push({ name: 'to acted', from: seenAt, to: Math.max(seenAt, actedAt), tone: 'seen', isOpen: false })
  return spans
}
