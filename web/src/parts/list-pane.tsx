import type { ComponentChild } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useKeys } from '../keys/keys.ts'
import type { Live } from '../live/create-live.ts'
import { navigate } from '../router/router.ts'
import { Loading, ProblemNote } from './bits.tsx'
import { VirtualList } from './virtual-list.tsx'

/** Of a longer list only what can be seen is drawn. A short one is a plain list, which browsers search and print whole. */
const MOST_DRAWN = 200
const ROW_HEIGHT = 60

interface ListPaneProps<T> {
  readonly live: Live<unknown>
  readonly items: readonly T[]
  readonly label: string
  readonly current: string | undefined
  idOf(item: T): string
  /** Where an item is shown; undefined: the list alone. */
  path(id: string | undefined): string
  row(item: T): ComponentChild
  /** Stands where there is nothing to list. */
  readonly empty: ComponentChild
}

/** The left half of most screens: things under each other, gone through by keys, each with an address. */
export function ListPane<T>({ live, items, label, current, idOf, path, row, empty }: ListPaneProps<T>) {
  const list = useRef<HTMLUListElement>(null)
  const ids = items.map(idOf)
  function step(by: number): void {
    const at = current === undefined ? -1 : ids.indexOf(current)
    const next = at < 0 ? (by > 0 ? 0 : ids.length - 1) : Math.min(Math.max(at + by, 0), ids.length - 1)
    const id = ids[next]
    if (id !== undefined) navigate(path(id), { replace: current !== undefined })
  }
  useKeys({
    title: label,
    shortcuts: [
      { keys: 'j, ArrowDown', label: 'Next', run: () => step(1) },
      { keys: 'k, ArrowUp', label: 'Previous', run: () => step(-1) },
      { keys: 'Escape', label: 'Back to the list', run: () => navigate(path(undefined)) },
    ],
  })
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  const problem = live.problem.value
  if (problem && live.value.value === undefined) return <ProblemNote problem={problem} onRetry={live.refresh} />
  if (live.isLoading.value) return <Loading what={label} />
  if (items.length === 0) return <>{empty}</>
  const linkOf = (item: T) => (
    <a class="row" href={path(idOf(item))} aria-current={idOf(item) === current ? 'true' : undefined}>
      {row(item)}
    </a>
  )
  if (items.length > MOST_DRAWN)
    return (
      <VirtualList
        items={items}
        label={label}
        current={current}
        keyOf={idOf}
        estimate={() => ROW_HEIGHT}
        isMeasured
        row={(item) => (
          // biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are no children of it
          <div role="listitem">{linkOf(item)}</div>
        )}
      />
    )
  return (
    <ul class="rows scroll" aria-label={label} ref={list}>
      {items.map((item) => (
        <li key={idOf(item)}>{linkOf(item)}</li>
      ))}
    </ul>
  )
}

interface RowTextProps {
  readonly lead?: ComponentChild
  readonly title: ComponentChild
  readonly note?: ComponentChild
  readonly more?: ComponentChild
  readonly end?: ComponentChild
}

/** Two lines: what it is, with its marks; and what to know of it. */
export function RowText({ lead, title, note, more, end }: RowTextProps) {
  return (
    <>
      {lead && <span class="row-lead">{lead}</span>}
      <span class="row-text">
        <span class="row-line">
          <span class="row-title">{title}</span>
          {end && <span class="row-end">{end}</span>}
        </span>
        {(note || more) && (
          <span class="row-line row-note">
            {note && <span class="row-words">{note}</span>}
            {more}
          </span>
        )}
      </span>
    </>
  )
}
