import type { ComponentChildren } from 'preact'
import { setQuery } from '../router/router.ts'

interface ScreenHeadProps {
  readonly title: ComponentChildren
  readonly note?: ComponentChildren
  readonly children?: ComponentChildren
}

/** The line at the top of a screen: what it is, and what can be done here. */
export function ScreenHead({ title, note, children }: ScreenHeadProps) {
  return (
    <header class="screen-head">
      <h1>{title}</h1>
      {note && <span class="screen-note">{note}</span>}
      <div class="screen-actions">{children}</div>
    </header>
  )
}

export interface Tab {
  readonly id: string
  readonly title: string
  readonly count?: number | undefined
}

interface TabsProps {
  readonly tabs: readonly Tab[]
  readonly current: string
  readonly label: string
  /** The field of the query in which the choice stands. */
  readonly field?: string
  onChoose?(id: string): void
}

/** Views of one screen. The first is the one without a query. */
export function Tabs({ tabs, current, label, field = 'view', onChoose }: TabsProps) {
  const choose = (id: string) => (onChoose ? onChoose(id) : setQuery({ [field]: id === tabs[0]?.id ? undefined : id }))
  return (
    // biome-ignore lint/a11y/useSemanticElements: no field of a form
    <div class="tabs" role="group" aria-label={label}>
      {tabs.map(({ id, title, count }) => (
        <button key={id} type="button" class="tab" aria-pressed={id === current} onClick={() => choose(id)}>
          {title}
          {count !== undefined && count > 0 && <span class="tab-count">{count}</span>}
        </button>
      ))}
    </div>
  )
}
