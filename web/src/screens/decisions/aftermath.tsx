import type { Decision } from '../../../../src/model/decision.ts'
import { postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Icon } from '../../parts/icon.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { Time } from '../../parts/time.tsx'
import { Who } from '../../parts/who.tsx'
import { pathTo } from '../../router/route.ts'
import { nameOf } from '../../state/directory.ts'

/** What happened next: the answer, the gate that opened, and whether the asker has seen it. */
export function Aftermath({ decision }: { readonly decision: Decision }) {
  const { answer, gateId, agent, options, state, id } = decision
  const label = options.find(({ key }) => key === answer?.selected)?.label
  const gate = useLive({
    key: gateId,
    load: () => postern.gates.show({ id: gateId }),
    on: ({ type, subject }) => type.startsWith('gate.') && subject === gateId,
  })
  const told = useLive({ key: `told-${id}`, load: () => findAnswer(decision), on: ['delivery.*', 'message.created'] })
  const delivery = told.value.value?.deliveries.find((each) => each.agent === agent)
  return (
    <section class="aftermath" aria-label="What happened next">
      <h3>What happened next</h3>
      <ol class="steps">
        <li>
          <Icon name={answer ? 'check' : 'close'} />
          <div>
            {answer ? (
              <p>
                <Who id={answer.by} verified={answer.verified} /> answered{' '}
                {label ? <strong>{label}</strong> : 'in their own words'} <Time at={answer.at} />
              </p>
            ) : (
              <p>It ended without an answer: {state}.</p>
            )}
            {answer?.text && <Markdown text={answer.text} />}
          </div>
        </li>
        {gate.value.value && (
          <li>
            <Icon name="gate" />
            <p>
              The <a href={pathTo('gates', [gateId])}>gate</a> is {gate.value.value.gate.state}
              {gate.value.value.gate.closedAt !== null && (
                <>
                  {' '}
                  since <Time at={gate.value.value.gate.closedAt} />
                </>
              )}
              : {nameOf(agent)} may go on.
            </p>
          </li>
        )}
        {told.value.value && (
          <li>
            <Icon name={delivery?.seenAt ? 'check' : 'clock'} />
            <p>
              {delivery?.seenAt ? (
                <>
                  {nameOf(agent)} has seen the answer <Time at={delivery.seenAt} />.
                </>
              ) : (
                told.value.value.why
              )}{' '}
              <a href={pathTo('trace', [told.value.value.message.id])}>Trace</a>
            </p>
          </li>
        )}
      </ol>
    </section>
  )
}

/** The answer goes to the asker as a message under a key of its own; the newest messages of the asker hold it. */
async function findAnswer({ id, agent }: Decision) {
  const found = await postern.inbox.search({ query: `"${id}"`, agent, limit: 20 })
  const message = found.find(({ dedupKey }) => dedupKey === `decision:${id}`)
  return message ? postern.inbox.trace({ id: message.id }) : null
}
