import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Decision } from '../../../../src/model/decision.ts'
import { postern } from '../../api/postern.ts'
import { useKeys } from '../../keys/keys.ts'
import { Button } from '../../parts/bits.tsx'
import { attempt, toast } from '../../parts/toasts.tsx'
import { nameOf } from '../../state/directory.ts'
import { acknowledge, inboxMessage } from '../../state/inbox.ts'
import { OptionCards } from './option-cards.tsx'

interface AnswerProps {
  readonly decision: Decision
  readonly messageId: string | undefined
  onAnswered(): void
}

export function Answer({ decision, messageId, onAnswered }: AnswerProps) {
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

  return (
    <form
      class="answer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {options.length > 0 && (
        <OptionCards
          options={options}
          selected={selected.value}
          defaultOption={defaultOption}
          frame={cards}
          onChoose={choose}
          onSubmit={submit}
        />
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
