import { type Signal, useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icon.tsx'
import { directory, nameOf, spaces } from '../../state/directory.ts'
import { me } from '../../state/me.ts'

interface Suggestion {
  readonly address: string
  readonly title: string
  readonly note: string
}

const MOST = 8

interface AddressFieldProps {
  readonly to: Signal<readonly string[]>
  /** What is typed and not chosen yet. */
  readonly text: Signal<string>
}

/** Whom a message goes to: chosen from those who are there. A space, or everybody, stands alone. */
export function AddressField({ to, text }: AddressFieldProps) {
  const at = useSignal(0)
  const isOpen = useSignal(false)
  const input = useRef<HTMLInputElement>(null)
  const suggestions = isOpen.value ? suggest(text.value, to.value) : []
  useLayoutEffect(() => {
    if (to.peek().length === 0) input.current?.focus()
  }, [])

  function add(address: string | undefined): void {
    if (!address) return
    const isAlone = address === 'all' || address.startsWith('space:')
    const others = to.value.filter((each) => each !== 'all' && !each.startsWith('space:'))
    to.value = isAlone ? [address] : [...others, address]
    text.value = ''
    at.value = 0
  }

  function press(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    // With Ctrl or ⌘, Enter sends the message.
    if (event.ctrlKey || event.metaKey) return
    const isChoosing = suggestions.length > 0 && (event.key === 'Enter' || (event.key === 'Tab' && text.value !== ''))
    if (step !== 0 && suggestions.length > 0) at.value = (at.value + step + suggestions.length) % suggestions.length
    else if (event.key === 'ArrowDown') isOpen.value = true
    else if (isChoosing) add(suggestions[Math.min(at.value, suggestions.length - 1)]?.address)
    else if (event.key === 'Escape' && suggestions.length > 0) isOpen.value = false
    else if (event.key === 'Backspace' && text.value === '') to.value = to.value.slice(0, -1)
    else return
    if (event.key !== 'Backspace') event.preventDefault()
  }

  return (
    <div class="field">
      <label for="compose-to">To</label>
      <div class="address-field">
        {to.value.map((address) => (
          <span key={address} class="address">
            {titleOf(address)}
            <button
              type="button"
              aria-label={`Remove ${titleOf(address)}`}
              onClick={() => {
                to.value = to.value.filter((each) => each !== address)
              }}
            >
              <Icon name="close" size={10} />
            </button>
          </span>
        ))}
        <input
          id="compose-to"
          ref={input}
          type="text"
          role="combobox"
          autocomplete="off"
          aria-expanded={suggestions.length > 0}
          aria-controls="addresses"
          aria-activedescendant={suggestions.length > 0 ? `address-${at.value}` : undefined}
          placeholder={to.value.length === 0 ? 'An agent, a person, a space or everybody' : ''}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value
            at.value = 0
            isOpen.value = true
          }}
          onFocus={() => {
            isOpen.value = true
          }}
          onBlur={() => {
            isOpen.value = false
          }}
          onKeyDown={press}
        />
        <div id="addresses" role="listbox" aria-label="Addresses" class="suggestions" hidden={suggestions.length === 0}>
          {suggestions.map(({ address, title, note }, index) => (
            <div
              key={address}
              id={`address-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at.value}
              class="suggestion"
              onMouseDown={(event) => {
                event.preventDefault()
                add(address)
              }}
            >
              <span>{title}</span>
              <span class="soft">{note}</span>
            </div>
          ))}
        </div>
      </div>
    </div>
  )
}

function titleOf(address: string): string {
  if (address === 'all') return 'Everybody'
  return address.startsWith('space:') ? `# ${address.slice('space:'.length)}` : nameOf(address)
}

function suggest(text: string, chosen: readonly string[]): readonly Suggestion[] {
  const wanted = text.trim().toLowerCase().replace(/^[#@]/, '')
  const agents = (directory.value.value ?? [])
    .filter(({ id, kind }) => id !== me.value && kind !== 'service')
    .map(({ id, displayName, kind }) => ({ address: id, title: displayName, note: `${id} · ${kind}` }))
  const open = (spaces.value.value ?? [])
    .filter(({ closedAt }) => closedAt === null)
    .map(({ id, name, members }) => ({ address: `space:${id}`, title: `# ${name}`, note: `space of ${members}` }))
  const everybody = { address: 'all', title: 'Everybody', note: 'every agent and person' }
  return [...agents, ...open, everybody]
    .filter(({ address }) => !chosen.includes(address))
    .filter(({ address, title }) => `${address} ${title}`.toLowerCase().includes(wanted))
    .slice(0, MOST)
}
