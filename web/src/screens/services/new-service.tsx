import { useSignal } from '@preact/signals'
import type { NewService } from '../../../../src/model/sources/services.ts'
import { postern } from '../../api/postern.ts'
import { Button } from '../../parts/bits.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { attempt } from '../../parts/toasts.tsx'
import { directory } from '../../state/directory.ts'

interface NewServiceFormProps {
  onMade(service: NewService): void
  onClose(): void
}

export function NewServiceForm({ onMade, onClose }: NewServiceFormProps) {
  const agents = (directory.value.value ?? []).filter(({ kind }) => kind !== 'service')
  const name = useSignal('')
  const agent = useSignal(agents[0]?.id ?? '')
  async function make(): Promise<void> {
    const made = await attempt(() => postern.services.create({ name: name.value.trim(), agent: agent.value }))
    if (made) onMade(made)
  }
  return (
    <Dialog title="New service" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <label class="field">
          <span>Name, such as ci</span>
          <input
            type="text"
            required
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value
            }}
          />
        </label>
        <label class="field">
          <span>Wakes</span>
          <select
            value={agent.value}
            onChange={(event) => {
              agent.value = event.currentTarget.value
            }}
          >
            {agents.map(({ id, displayName }) => (
              <option key={id} value={id}>
                {displayName}
              </option>
            ))}
          </select>
        </label>
        <div class="form-actions">
          <Button onClick={onClose}>Discard</Button>
          <Button kind="primary" type="submit">
            Make it
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
