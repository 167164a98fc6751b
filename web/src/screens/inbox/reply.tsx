import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Message } from '../../../../src/model/message.ts'
import { useKeys } from '../../keys/keys.ts'
import { Button } from '../../parts/bits.tsx'
import { attempt, toast } from '../../parts/toasts.tsx'
import { nameOf } from '../../state/directory.ts'
import { sendMessage } from '../../state/inbox.ts'
import { me } from '../../state/me.ts'

interface ReplyProps {
  readonly to: Message
  onClose(): void
}

/** Goes to whoever wrote; one's own message is carried on with those it went to. */
export function Reply({ to, onClose }: ReplyProps) {
  const text = useSignal('')
  const isBusy = useSignal(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const recipients = to.from.id === me.value ? to.to : [to.from.id]
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  useKeys({
    title: 'Reply',
    shortcuts: [
      { keys: 'mod+Enter', label: 'Send', run: submit, whileTyping: true },
      { keys: 'Escape', label: 'Discard', run: onClose, whileTyping: true },
    ],
  })

  async function submit(): Promise<void> {
    if (isBusy.value || text.value.trim() === '') return
    isBusy.value = true
    const subject = to.subject === null ? undefined : `Re: ${to.subject.replace(/^Re: /, '')}`
    const sent = await attempt(() =>
      sendMessage({ to: recipients, content: text.value, replyTo: to.id, ...(subject && { subject }) }),
    )
    isBusy.value = false
    if (!sent) return
    toast(`Replied to ${recipients.map(nameOf).join(', ')}`)
    onClose()
  }

  return (
    <form
      class="reply"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="field">
        <span>Reply to {recipients.map(nameOf).join(', ')}</span>
        <textarea
          ref={field}
          rows={4}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
          }}
        />
      </label>
      <div class="form-actions">
        <Button keys="Escape" onClick={onClose}>
          Discard
        </Button>
        <Button kind="primary" type="submit" keys="mod+Enter" disabled={isBusy.value}>
          Send
        </Button>
      </div>
    </form>
  )
}
