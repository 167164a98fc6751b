import './trace.css'
import { useSignal } from '@preact/signals'
import type { DeliveryTrace, Trace } from '../../../../src/model/receipt.ts'
import { call, postern } from '../../api/postern.ts'
import { isDeliveryOf } from '../../live/delivery-news.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Command, Empty, Facts, Json, Loading, NotAuthenticated, ProblemNote } from '../../parts/bits.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { headlineOf, toneOfState, toneOfType } from '../../parts/message-text.ts'
import { ScreenHead } from '../../parts/screen-head.tsx'
import { Block } from '../../parts/sheet.tsx'
import { Time } from '../../parts/time.tsx'
import { formatAbsolute, formatExactClock, formatSpan } from '../../parts/time-text.ts'
import { attempt, toast } from '../../parts/toasts.tsx'
import { Who } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { goTo, route } from '../../router/router.ts'
import { DeliveryBars } from './delivery-bars.tsx'
import { RecentMessages } from './recent-messages.tsx'

export function TraceScreen() {
  const id = route.value.params['id']
  return (
    <>
      <ScreenHead title="Trace" note="Every step of one message, and why it has not been seen yet">
        <FindMessage />
      </ScreenHead>
      {id ? <TraceOf key={id} id={id} /> : <RecentMessages />}
    </>
  )
}

function FindMessage() {
  const text = useSignal('')
  return (
    <form
      class="find-message"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.value.trim() !== '') goTo('trace', [text.value.trim()])
      }}
    >
      <input
        type="text"
        aria-label="Id of a message"
        placeholder="msg_…"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value
        }}
      />
      <Button type="submit">Trace</Button>
    </form>
  )
}

function TraceOf({ id }: { readonly id: string }) {
  const live = useLive({
    key: id,
    load: () => postern.inbox.trace({ id }),
    on: (news) => isDeliveryOf(news, id),
  })
  const trace = live.value.value
  const problem = live.problem.value
  if (!trace) return problem ? <ProblemNote problem={problem} onRetry={live.refresh} /> : <Loading what="the trace" />
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
    <section class="trace scroll" tabIndex={0} aria-label="Trace of the message">
      <TraceHead trace={trace} onChanged={live.refresh} />
      <p class="why" role="status">
        <Icon name="trace" />
        <span>{trace.why}</span>
      </p>
      <Block title={trace.deliveries.length === 1 ? 'Its delivery' : `Its ${trace.deliveries.length} deliveries`}>
        {trace.deliveries.length === 0 && <p class="soft">Nobody has taken it up yet.</p>}
        {trace.deliveries.map((delivery) => (
          <DeliveryOf key={delivery.agent} id={id} delivery={delivery} sentAt={trace.message.createdAt} />
        ))}
      </Block>
      <Block title="The message">
        <div class="quote">
          <Markdown text={trace.message.content} />
        </div>
        <Json value={trace.message} title="As it is stored" />
      </Block>
      <Command text={`postern trace ${id}`} />
    </section>
  )
}

function TraceHead({ trace, onChanged }: { readonly trace: Trace; onChanged(): void }) {
  const { message, deliveries } = trace
  const canCancel = deliveries.some(({ state }) => state === 'pending' || state === 'held')
  async function cancel(): Promise<void> {
    const done = await attempt(() => postern.inbox.cancel({ id: message.id }))
    if (done) toast(`Taken back from ${done.cancelled}`)
    onChanged()
  }
  return (
    <header class="trace-head">
      <div class="trace-title">
        <h2>{headlineOf(message)}</h2>
        {canCancel && (
          <Button kind="danger" onClick={cancel}>
            Take it back
          </Button>
        )}
      </div>
      <Facts
        rows={[
          ['from', <Who key="from" id={message.from.id} verified={message.from.verified} />],
          ['to', message.to.join(', ')],
          ...(message.authenticated === false ? [['proof', <NotAuthenticated key="proof" />] as const] : []),
          [
            'type',
            <Chip key="type" tone={toneOfType(message.type)}>
              {message.type}
            </Chip>,
          ],
          ['sent', <Time key="sent" at={message.createdAt} />],
          ['id', <code key="id">{message.id}</code>],
          ...(message.replyTo
            ? [
                [
                  'answers',
                  <a key="reply" href={pathTo('trace', [message.replyTo])}>
                    {message.replyTo}
                  </a>,
                ] as const,
              ]
            : []),
        ]}
      />
    </header>
  )
}

interface DeliveryOfProps {
  readonly id: string
  readonly delivery: DeliveryTrace
  readonly sentAt: number
}

function DeliveryOf({ id, delivery, sentAt }: DeliveryOfProps) {
  /** What was put aside waits for a person to say so. */
  async function again(how: 'releaseHeld' | 'retryDead'): Promise<void> {
    if (await attempt(() => call(`inbox.${how}`, { id, agent: delivery.agent })))
      toast(`It waits for ${delivery.agent} again`)
  }
  const { agent, state, attempt: attempts, steps, leaseExpiresAt, rungAt } = delivery
  return (
    <section class="delivery" aria-label={`To ${agent}`}>
      <header class="delivery-head">
        <Who id={agent} />
        <Chip tone={toneOfState(state)}>{state}</Chip>
        {attempts > 1 && <span class="soft">{attempts} attempts</span>}
        {leaseExpiresAt !== null && state === 'offered' && (
          <span class="soft">
            offer ends <Time at={leaseExpiresAt} />
          </span>
        )}
        {state === 'held' && <Button onClick={() => void again('releaseHeld')}>Let it go on</Button>}
        {state === 'dead' && <Button onClick={() => void again('retryDead')}>Try again</Button>}
        {rungAt !== null && (
          <span class="faint">
            last rung <Time at={rungAt} />
          </span>
        )}
      </header>
      <DeliveryBars delivery={delivery} sentAt={sentAt} />
      <ol class="timeline">
        {steps.map((step, at) => (
          <li key={`${step.at}-${step.step}-${at}`}>
            <span class={`timeline-dot ${markOf(step.step)}`} />
            <div class="timeline-line">
              <strong>{step.step}</strong>
              {step.attempt !== null && step.attempt > 1 && <span class="soft">attempt {step.attempt}</span>}
              <span class="soft">{step.evidence}</span>
              {step.sessionId && <code class="faint">{step.sessionId}</code>}
              <time class="timeline-time" dateTime={new Date(step.at).toISOString()} title={formatAbsolute(step.at)}>
                {at === 0 ? formatExactClock(step.at) : `+ ${formatSpan(step.at - sentAt)}`}
              </time>
            </div>
          </li>
        ))}
        {!ENDED.includes(state) && (
          <li>
            <span class="timeline-dot is-open" />
            <span class="soft">{state === 'offered' ? 'shown, not confirmed yet' : 'not seen yet'}</span>
          </li>
        )}
      </ol>
    </section>
  )
}

const ENDED: readonly string[] = ['seen', 'acted', 'expired', 'cancelled', 'dead']

function markOf(step: string): string {
  if (step === 'seen' || step === 'acted') return 'is-good'
  return ['dead', 'expired', 'lapsed', 'cancelled', 'held'].includes(step) ? 'is-bad' : ''
}

export function NoMessages() {
  return (
    <Empty icon="trace" title="No message yet" commands={['postern inbox push quinn "Hello"']}>
      Every message can be traced: when it was stored, offered, printed, seen and acted on.
    </Empty>
  )
}
