import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { PRIORITIES, type Priority } from '../../../../src/model/priority.ts'
import { asProblem, Problem } from '../../api/problem.ts'
import { Button, ProblemNote } from '../../parts/bits.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import { pathTo } from '../../router/route.ts'
import { navigate } from '../../router/router.ts'
import { closeLayer, composeTo } from '../../shell/layers.ts'
import { spaces } from '../../state/directory.ts'
import { sendMessage } from '../../state/inbox.ts'
import { AddressField } from './address-field.tsx'

/** A new message: to agents, to one space, or to everybody. */
export function Compose() {
  const to = useSignal<readonly string[]>(composeTo.peek())
  /** What stands in the field of addresses and was not chosen. */
  const typed = useSignal('')
  const subject = useSignal('')
  const content = useSignal('')
  const priority = useSignal<Priority>(2)
  const problem = useSignal<Problem | undefined>(undefined)
  const isBusy = useSignal(false)
  useEffect(() => {
    spaces.start()
  }, [])

  async function submit(): Promise<void> {
    if (isBusy.value) return
    problem.value = unaddressed(to.value, typed.value)
    if (problem.value) return
    isBusy.value = true
    try {
      const { id, recipients } = await sendMessage({
        to: to.value,
        content: content.value,
        priority: priority.value,
        ...(subject.value.trim() !== '' && { subject: subject.value.trim() }),
      })
      closeLayer()
      toast(`Sent to ${recipients.map(({ agent }) => agent).join(', ') || 'nobody else'}`)
      const [only = ''] = to.value
      navigate(only.startsWith('space:') ? pathTo('spaces', [only.slice('space:'.length)]) : pathTo('trace', [id]))
    } catch (error) {
      problem.value = asProblem(error)
    } finally {
      isBusy.value = false
    }
  }

  return (
    <Dialog
      title="New message"
      onClose={closeLayer}
      shortcuts={[{ keys: 'mod+Enter', label: 'Send', run: submit, whileTyping: true }]}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <AddressField to={to} text={typed} />
        <label class="field">
          <span>Subject</span>
          <input
            type="text"
            value={subject.value}
            onInput={(event) => {
              subject.value = event.currentTarget.value
            }}
          />
        </label>
        <label class="field">
          <span>Message</span>
          <textarea
            rows={8}
            required
            value={content.value}
            onInput={(event) => {
              content.value = event.currentTarget.value
            }}
          />
        </label>
        <label class="field field-short">
          <span>Priority</span>
          <select
            value={String(priority.value)}
            onChange={(event) => {
              priority.value = Number(event.currentTarget.value) as Priority
            }}
          >
            {PRIORITIES.map((name, at) => (
              <option key={name} value={at}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {problem.value && <ProblemNote problem={problem.value} />}
        <div class="form-actions">
          <Button onClick={closeLayer}>Discard</Button>
          <Button kind="primary" type="submit" keys="mod+Enter" disabled={isBusy.value}>
            Send
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** A message to nobody would go to oneself, and a name that was only typed would be passed over. */
function unaddressed(to: readonly string[], typed: string): Problem | undefined {
  const text = typed.trim()
  if (text === '' && to.length > 0) return undefined
  return new Problem({
    code: 'PAGE',
    status: 0,
    detail: text === '' ? 'The message goes to nobody yet.' : `“${text}” is nobody yet.`,
    next: 'Choose from the list below To.',
  })
}
