import './decision.css'
import type { Decision } from '../../../../src/model/decision.ts'
import { postern } from '../../api/postern.ts'
import { useLive } from '../../live/use-live.ts'
import { Chip, Loading, ProblemNote } from '../../parts/bits.tsx'
import { now } from '../../parts/clock.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Time } from '../../parts/time.tsx'
import { formatSpan } from '../../parts/time-text.ts'
import { Avatar, Who } from '../../parts/who.tsx'
import { nameOf } from '../../state/directory.ts'
import { me } from '../../state/me.ts'
import { Aftermath } from './aftermath.tsx'
import { Answer } from './answer.tsx'
import { OptionText } from './option-text.tsx'

interface DecisionPanelProps {
  readonly id: string
  /** The message that asks; it is done when the question is answered. */
  readonly messageId?: string | undefined
}

/** A question, its options and its answer; and what the answer has brought about. */
export function DecisionPanel({ id, messageId }: DecisionPanelProps) {
  const live = useLive({
    key: id,
    load: () => postern.decisions.show({ id }),
    on: ({ type, subject }) => type.startsWith('decision.') && subject === id,
  })
  const decision = live.value.value
  const problem = live.problem.value
  if (!decision)
    return problem ? <ProblemNote problem={problem} onRetry={live.refresh} /> : <Loading what="the question" />
  const isForMe = decision.state === 'open' && decision.asked.includes(me.value)
  return (
    <div class="decision">
      <DecisionHead decision={decision} />
      {decision.context && (
        <section class="decision-context" aria-label="Context">
          <Markdown text={decision.context} />
        </section>
      )}
      {isForMe ? (
        <Answer key={id} decision={decision} messageId={messageId} onAnswered={live.refresh} />
      ) : (
        <ul class="option-cards">
          {decision.options.map((option) => (
            <li
              key={option.key}
              class={`option-card is-still ${decision.answer?.selected === option.key ? 'is-chosen' : ''}`}
            >
              <OptionText option={option} isDefault={decision.defaultOption === option.key} />
            </li>
          ))}
        </ul>
      )}
      {decision.state === 'open' && !isForMe && (
        <p class="soft">It is for {decision.asked.map(nameOf).join(', ')} to answer.</p>
      )}
      {decision.state !== 'open' && <Aftermath decision={decision} />}
    </div>
  )
}

function DecisionHead({ decision }: { readonly decision: Decision }) {
  const { agent, question, createdAt, dueAt, defaultOption, state, asked } = decision
  const tone = state === 'open' ? 'violet' : state === 'answered' ? 'green' : 'plain'
  return (
    <header class="decision-head">
      <div class="decision-line">
        <Avatar id={agent} />
        <Who id={agent} />
        <span class="soft">{state === 'open' ? `has waited for ${formatSpan(now.value - createdAt)}` : 'asked'}</span>
        <Chip tone={tone}>{state}</Chip>
      </div>
      <h2 class="decision-question">{question}</h2>
      <p class="faint">
        Asked <Time at={createdAt} /> · for {asked.map(nameOf).join(', ')}
        {dueAt !== null && state === 'open' && (
          <>
            {' · '}
            <span class={dueAt - now.value < 3_600_000 ? 'is-late' : ''}>
              due <Time at={dueAt} />
              {defaultOption ? `, then “${defaultOption}”` : ', then it expires'}
            </span>
          </>
        )}
      </p>
    </header>
  )
}
