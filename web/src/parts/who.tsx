import { pathTo } from '../router/route.ts'
import { agentOf, nameOf } from '../state/directory.ts'
import { Icon } from './icon.tsx'

/** People are round, programs are square. Everybody keeps one of a few colours. */
export function Avatar({ id, size = 'small' }: { readonly id: string; readonly size?: 'small' | 'large' }) {
  const kind = agentOf(id)?.kind ?? (id === 'system' ? 'system' : 'ai')
  const name = nameOf(id)
  const letters = name
    .split(/[\s_-]+/)
    .slice(0, 2)
    .map((part) => [...part][0] ?? '')
    .join('')
  return (
    <span class={`avatar avatar-${kind} avatar-${size} hue-${hueOf(id)}`} aria-hidden="true">
      {letters.toUpperCase()}
    </span>
  )
}

const HUES = 8

function hueOf(id: string): number {
  let sum = 7
  for (const unit of id) sum = (sum * 31 + (unit.codePointAt(0) ?? 0)) % 9_973
  return sum % HUES
}

interface WhoProps {
  readonly id: string
  readonly verified?: boolean | undefined
  readonly isPlain?: boolean
}

/** A name that leads to its agent. What no credential has said is marked. */
export function Who({ id, verified, isPlain = false }: WhoProps) {
  const name = nameOf(id)
  const label = name === id ? name : `${name} (${id})`
  return (
    <span class="who">
      {isPlain || !agentOf(id) ? (
        <span class="who-name" title={label}>
          {name}
        </span>
      ) : (
        <a class="who-name" href={pathTo('agents', [id])} title={label}>
          {name}
        </a>
      )}
      {verified === false && (
        <span class="unverified" title="Unverified: no credential proves who this is.">
          <Icon name="warning" label="unverified" size={12} />
        </span>
      )}
    </span>
  )
}
