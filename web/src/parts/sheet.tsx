import type { ComponentChildren } from 'preact'
import { navigate } from '../router/router.ts'
import { IconButton } from './bits.tsx'

interface SheetProps {
  readonly title: string
  /** Where the list is, for phones, which show one half at a time. */
  readonly back: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** The right half of most screens: one thing in full. */
export function Sheet({ title, back, actions, children }: SheetProps) {
  return (
    <article class="sheet" aria-label={title}>
      <header class="sheet-head">
        <span class="only-phone">
          <IconButton icon="back" label="Back to the list" onClick={() => navigate(back)} />
        </span>
        <h2 title={title}>{title}</h2>
        {actions && <div class="sheet-actions">{actions}</div>}
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys */}
      <section class="sheet-body" tabIndex={0} aria-label={`${title}, in full`}>
        {children}
      </section>
    </article>
  )
}

interface BlockProps {
  readonly title: string
  readonly children: ComponentChildren
}

export function Block({ title, children }: BlockProps) {
  return (
    <section class="block" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  )
}
