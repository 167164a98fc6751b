import './decision.css'
import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Decision, DecisionOption } from '../../../../src/model/decision.ts'
import { postern } from '../../api/postern.ts'
import { useKeys } from '../../keys/keys.ts'
import { useLive } from '../../live/use-live.ts'
import { Button, Chip, Loading, ProblemNote } from '../../parts/bits.tsx'
import { now } from '../../parts/clock.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Time } from '../../parts/time.tsx'
import { formatSpan } from '../../parts/time-text.ts'
import { attempt, toast } from '../../parts/toasts.tsx'
import { Avatar, Who } from '../../parts/who.tsx'
import { nameOf } from '../../state/directory.ts'
import { acknowledge, inboxMessage } from '../../state/inbox.ts'
import { me } from '../../state/me.ts'
import { Aftermath } from './aftermath.tsx'

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

interface AnswerProps {
  readonly decision: Decision
  readonly messageId: string | undefined
  onAnswered(): void
}

function Answer({ decision, messageId, onAnswered }: AnswerProps) {
  const { id, options, defaultOption, allowsText } = decision
  const selected = useSignal<string | undefined>(undefined)
  const text = useSignal('')
  const isBusy = useSignal(false)
  const cards = useRef<HTMLDivElement>(null)
  const comment = useRef<HTMLTextAreaElement>(null)
  const canAnswer = selected.value !== undefined || (allowsText && text.value.trim() !== '')

  function choose(key: string): void {
    selected.value = key
    cards.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)?.focus()
  }

  async function submit(): Promise<void> {
    if (isBusy.value || !canAnswer) return
    isBusy.value = true
    const said = text.value.trim()
    const answered = await attempt(() =>
      postern.decisions.respond({
        id,
        ...(selected.value !== undefined && { select: selected.value }),
        ...(said !== '' && { text: said }),
      }),
    )
    isBusy.value = false
    if (!answered) return
    toast(`Answered. ${nameOf(decision.agent)} is told.`)
    if (messageId !== undefined && inboxMessage(messageId)) void acknowledge([messageId])
    onAnswered()
  }

  useKeys({
    title: 'Decision',
    shortcuts: [
      ...options.slice(0, 9).map(({ key, label }, at) => ({
        keys: String(at + 1),
        label: `Choose “${label}”`,
        run: () => choose(key),
      })),
      { keys: 'm', label: 'Say something with it', run: () => comment.current?.focus() },
      { keys: 'mod+Enter', label: 'Answer', run: submit, whileTyping: true },
    ],
  })
  useLayoutEffect(() => {
    if (options.length === 0) comment.current?.focus()
  }, [])

  function press(event: KeyboardEvent, at: number): void {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key]
    if (step !== undefined) choose(options[(at + step + options.length) % options.length]?.key ?? '')
    else if (event.key === ' ') choose(options[at]?.key ?? '')
    else if (event.key === 'Enter' && selected.value === options[at]?.key) void submit()
    else if (event.key === 'Enter') choose(options[at]?.key ?? '')
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {options.length > 0 && (
        <div class="option-cards" role="radiogroup" aria-label="Options" ref={cards}>
          {options.map((option, at) => {
            const isChosen = selected.value === option.key
            return (
              // biome-ignore lint/a11y/useSemanticElements: a card that is a button, with the keys of a radio
              <button
                key={option.key}
                type="button"
                class={`option-card ${isChosen ? 'is-chosen' : ''}`}
                role="radio"
                aria-checked={isChosen}
                tabIndex={isChosen || (selected.value === undefined && at === 0) ? 0 : -1}
                data-key={option.key}
                onClick={() => choose(option.key)}
                onKeyDown={(event) => press(event, at)}
              >
                <OptionText option={option} isDefault={defaultOption === option.key} number={at + 1} />
              </button>
            )
          })}
        </div>
      )}
      <label class="field">
        <span>{options.length > 0 ? `Comment${allowsText ? ', or an answer of your own' : ''}` : 'Your answer'}</span>
        <textarea
          ref={comment}
          rows={options.length > 0 ? 2 : 4}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
        />
      </label>
      <div class="form-actions">
        <Button kind="primary" type="submit" keys="mod+Enter" disabled={isBusy.value || !canAnswer}>
          Answer
        </Button>
      </div>
    </form>
  )
}

interface OptionTextProps {
  readonly option: DecisionOption
  readonly isDefault: boolean
  readonly number?: number
}

function OptionText({ option: { label, description }, isDefault, number }: OptionTextProps) {
  return (
    <>
      <span class="option-head">
        {number !== undefined && number <= 9 && <kbd class="key">{number}</kbd>}
        <span class="option-label">{label}</span>
        {isDefault && <Chip>default</Chip>}
      </span>
      {description && <span class="option-more">{description}</span>}
    </>
  )
}
