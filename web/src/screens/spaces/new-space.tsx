import { type Signal, useSignal } from '@preact/signals'
import { postern } from '../../api/postern.ts'
import { Button } from '../../parts/bits.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { attempt } from '../../parts/toasts.tsx'
import { goTo } from '../../router/router.ts'
import { directory } from '../../state/directory.ts'
import { me } from '../../state/me.ts'

export function NewSpace({ onClose }: { onClose(): void }) {
  const name = useSignal('')
  const members = useSignal<ReadonlySet<string>>(new Set())
  const isOpen = useSignal(false)
  const showsAll = useSignal(false)
  const others = (directory.value.value ?? []).filter(({ id, kind }) => id !== me.value && kind !== 'service')
  async function make(): Promise<void> {
    const id = slugOf(name.value)
    const made = await attempt(() =>
      postern.spaces.create({
        ...{ id, name: name.value.trim(), members: [...members.value] },
        joining: isOpen.value ? 'open' : 'invited',
        history: showsAll.value ? 'all' : 'joined',
      }),
    )
    if (!made) return
    onClose()
    goTo('spaces', [made.id])
  }
  return (
    <Dialog title="New space" onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void make()
        }}
      >
        <label class="field">
          <span>Name</span>
          <input
            type="text"
            required
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value
            }}
          />
        </label>
        <fieldset class="field">
          <legend class="soft">Members beside you</legend>
          <div class="member-choices">
            {others.map(({ id, displayName }) => (
              <label key={id}>
                <input
                  type="checkbox"
                  checked={members.value.has(id)}
                  onChange={(event) => {
                    const changed = new Set(members.value)
                    if (event.currentTarget.checked) changed.add(id)
                    else changed.delete(id)
                    members.value = changed
                  }}
                />
                {displayName}
              </label>
            ))}
          </div>
        </fieldset>
        <div class="member-choices">
          <Choice label="Every agent may join" value={isOpen} />
          <Choice label="New members read what was said before" value={showsAll} />
        </div>
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

function Choice({ label, value }: { readonly label: string; readonly value: Signal<boolean> }) {
  return (
    <label>
      <input
        type="checkbox"
        checked={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.checked
        }}
      />
      {label}
    </label>
  )
}

/** The id is for machines: ASCII, lower case, short. */
function slugOf(name: string): string {
  const ascii = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return ascii.slice(0, 60) || 'space'
}
