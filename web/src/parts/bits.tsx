import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { Problem as ProblemOf } from '../api/problem.ts'
import { formatKeys } from '../keys/keys.ts'
import { Icon, type IconName } from './icon.tsx'

/** What colours mean, everywhere: red is broken or urgent, amber waits, green is well, violet asks. */
export type Tone = 'plain' | 'red' | 'amber' | 'green' | 'blue' | 'violet' | 'teal'

interface ChipProps {
  readonly tone?: Tone
  readonly title?: string
  readonly children: ComponentChildren
}

export function Chip({ tone = 'plain', title, children }: ChipProps) {
  return (
    <span class={`chip tone-${tone}`} title={title}>
      {children}
    </span>
  )
}

/** Of a message whose stored row no key proves. */
export function NotAuthenticated() {
  return (
    <Chip tone="amber" title="The key of this home does not prove that the message is as it was sent.">
      not authenticated
    </Chip>
  )
}

export function Key({ keys }: { readonly keys: string }) {
  return <kbd class="key">{formatKeys(keys)}</kbd>
}

interface ButtonProps {
  readonly children: ComponentChildren
  onClick?(): void
  readonly kind?: 'plain' | 'primary' | 'danger' | 'quiet'
  readonly icon?: IconName
  readonly keys?: string
  readonly disabled?: boolean
  readonly title?: string
  readonly type?: 'button' | 'submit'
}

export function Button({ children, onClick, kind = 'plain', icon, keys, disabled, title, type }: ButtonProps) {
  return (
    <button type={type ?? 'button'} class={`button button-${kind}`} onClick={onClick} disabled={disabled} title={title}>
      {icon && <Icon name={icon} />}
      <span>{children}</span>
      {keys && <Key keys={keys} />}
    </button>
  )
}

interface IconButtonProps {
  readonly icon: IconName
  readonly label: string
  onClick(): void
  readonly keys?: string
  readonly disabled?: boolean
}

export function IconButton({ icon, label, onClick, keys, disabled }: IconButtonProps) {
  const title = keys ? `${label} (${formatKeys(keys)})` : label
  return (
    <button type="button" class="icon-button" aria-label={label} title={title} onClick={onClick} disabled={disabled}>
      <Icon name={icon} />
    </button>
  )
}

/** A command to type, with a button that copies it. */
export function Command({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false)
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text)
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <span class="command">
      <code>{text}</code>
      <button type="button" class="icon-button" aria-label={`Copy: ${text}`} title="Copy" onClick={copy}>
        <Icon name={isCopied ? 'check' : 'copy'} />
      </button>
      <span class="hidden-text" role="status">
        {isCopied ? 'Copied' : ''}
      </span>
    </span>
  )
}

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
  readonly commands?: readonly string[]
}

/** Says why there is nothing, and what to type so that there is something. */
export function Empty({ icon, title, children, commands = [] }: EmptyProps) {
  return (
    <div class="empty">
      <Icon name={icon} size={28} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {commands.map((command) => (
        <Command key={command} text={command} />
      ))}
    </div>
  )
}

/** What went wrong, in the server's words, and the next step. */
export function ProblemNote({ problem, onRetry }: { readonly problem: ProblemOf; onRetry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <Icon name="warning" />
      <div>
        <p>{problem.message}</p>
        {problem.next && <p class="soft">{problem.next}</p>}
      </div>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  )
}

export function Loading({ what }: { readonly what: string }) {
  return (
    <div class="loading" role="status">
      <span class="hidden-text">Loading {what}</span>
      {[0, 1, 2, 3].map((at) => (
        <span key={at} class="loading-bar" />
      ))}
    </div>
  )
}

/** JSON as somebody sent it, folded away. */
export function Json({ value, title }: { readonly value: unknown; readonly title: string }) {
  return (
    <details class="json">
      <summary>{title}</summary>
      <pre>{JSON.stringify(value, null, 2)}</pre>
    </details>
  )
}

/** Names and values under each other. */
export function Facts({ rows }: { readonly rows: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
