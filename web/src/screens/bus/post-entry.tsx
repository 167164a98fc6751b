import { useSignal } from '@preact/signals'
import { BUS_TYPES, type BusPlace } from '../../../../src/model/bus/entry.ts'
import { postern } from '../../api/postern.ts'
import { Button } from '../../parts/bits.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { attempt, toast } from '../../parts/toasts.tsx'

interface PostEntryProps {
  readonly place: BusPlace
  onClose(): void
}

export function PostEntry({ place, onClose }: PostEntryProps) {
  const type = useSignal('USER')
  const body = useSignal('')
  async function post(): Promise<void> {
    if (body.value.trim() === '') return
    const posted = await attempt(() => postern.bus.post({ ...place, type: type.value, body: body.value }))
    if (!posted) return
    toast(posted.warnings[0] ?? 'Posted')
    onClose()
  }
  return (
    <Dialog
      title={`Post on ${place.task_id ?? place.project_id}`}
      onClose={onClose}
      shortcuts={[{ keys: 'mod+Enter', label: 'Post', run: () => void post(), whileTyping: true }]}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void post()
        }}
      >
        <label class="field field-short">
          <span>Type</span>
          <select
            value={type.value}
            onChange={(event) => {
              type.value = event.currentTarget.value
            }}
          >
            {BUS_TYPES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Entry</span>
          <textarea
            rows={6}
            required
            value={body.value}
            onInput={(event) => {
              body.value = event.currentTarget.value
            }}
          />
        </label>
        <div class="form-actions">
          <Button onClick={onClose}>Discard</Button>
          <Button kind="primary" type="submit" keys="mod+Enter">
            Post
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
