import type { ComponentChild } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { createWindow } from './virtual-window.ts'

interface VirtualListProps<T> {
  readonly items: readonly T[]
  readonly label: string
  keyOf(item: T): string
  /** About how high a row is; measured rows need only a guess. */
  estimate(item: T): number
  row(item: T, index: number): ComponentChild
  /** Rows whose height depends on what they say. */
  readonly isMeasured?: boolean
  /** The row that keys act on; kept in view. */
  readonly current?: string | undefined
  /** The end is where news comes: the list stays there while one is there. */
  readonly sticksToEnd?: boolean
  /** Called when the beginning comes into view. */
  onBeginning?(): void
  /** `listbox` where rows are options; `feed` and `list` where one reads. */
  readonly role?: 'listbox' | 'list' | 'log'
  readonly isMultiple?: boolean
  readonly class?: string
}

/** Rows beyond the edges, so that a quick scroll shows no empty space. */
const OVERSCAN_PX = 400
const NEAR_END_PX = 48

/** A list of which only what can be seen is drawn. The rows give themselves their roles and ids. */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, keyOf, estimate, row, isMeasured = false, current, sticksToEnd = false, role = 'list' } = props
  const frame = useRef<HTMLDivElement>(null)
  const measured = useRef(new Map<string, number>())
  const isAtEnd = useRef(true)
  const begin = useRef(props.onBeginning)
  begin.current = props.onBeginning
  const [, redraw] = useState(0)
  const [view, setView] = useState({ top: 0, height: 800 })

  const keys = useMemo(() => items.map(keyOf), [items])
  const rows = useMemo(
    () => createWindow({ keys, measured: measured.current, estimate: (at) => (items[at] ? estimate(items[at]) : 0) }),
    [keys],
  )

  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const look = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX
      setView({ top: element.scrollTop, height: element.clientHeight })
      if (element.scrollTop < OVERSCAN_PX) begin.current?.()
    }
    const observer = new ResizeObserver(look)
    observer.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])

  const first = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    // What was loaded before the beginning must not push away what is being read.
    const grown = first.current === undefined ? -1 : keys.indexOf(first.current)
    if (grown > 0 && sticksToEnd && !isAtEnd.current) element.scrollTop += rows.offsetOf(grown)
    first.current = keys[0]
    if (sticksToEnd && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [keys])

  useEffect(() => {
    const element = frame.current
    const index = current === undefined ? -1 : keys.indexOf(current)
    if (!element || index < 0) return
    const [top, bottom] = [rows.offsetOf(index), rows.offsetOf(index) + rows.heightOf(index)]
    if (top < element.scrollTop) element.scrollTop = Math.max(0, index === 1 ? 0 : top - 8)
    else if (bottom > element.scrollTop + element.clientHeight) element.scrollTop = bottom - element.clientHeight + 8
  }, [current, keys])

  function note(key: string, height: number): void {
    const element = frame.current
    const isAbove = rows.offsetOf(keys.indexOf(key)) < (element?.scrollTop ?? 0)
    const change = rows.measure(key, height)
    if (change === 0) return
    redraw((count) => count + 1)
    if (!element) return
    if (sticksToEnd && isAtEnd.current) queueMicrotask(() => element.scrollTo({ top: element.scrollHeight }))
    else if (isAbove) element.scrollTop += change
  }

  const { from, to } = rows.range(view.top - OVERSCAN_PX, view.top + view.height + OVERSCAN_PX)
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: every role that it may have takes a label
    <div
      ref={frame}
      class={`virtual-list ${props.class ?? ''}`}
      role={role}
      aria-label={props.label}
      tabIndex={0}
      // Rows come and go as one scrolls, which is no news.
      {...(role === 'log' && { 'aria-live': 'off' })}
      {...(role === 'listbox' && { 'aria-activedescendant': current ? `row-${current}` : undefined })}
      {...(props.isMultiple && { 'aria-multiselectable': true })}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${rows.totalHeight}px` }}>
        {items.slice(from, to).map((item, at) => {
          const key = keys[from + at] ?? ''
          return (
            <Placed
              key={key}
              top={rows.offsetOf(from + at)}
              height={isMeasured ? undefined : rows.heightOf(from + at)}
              onHeight={(height) => note(key, height)}
            >
              {row(item, from + at)}
            </Placed>
          )
        })}
      </div>
    </div>
  )
}

interface PlacedProps {
  readonly top: number
  /** Undefined where it is measured. */
  readonly height: number | undefined
  onHeight(height: number): void
  readonly children: ComponentChild
}

function Placed({ top, height, onHeight, children }: PlacedProps) {
  const ref = useRef<HTMLDivElement>(null)
  const report = useRef(onHeight)
  report.current = onHeight
  useLayoutEffect(() => {
    const element = ref.current
    if (height !== undefined || !element) return
    const measure = () => report.current(element.offsetHeight)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [height === undefined])
  const style = { transform: `translateY(${top}px)`, ...(height !== undefined && { height: `${height}px` }) }
  return (
    <div ref={ref} class="virtual-row" role="presentation" style={style}>
      {children}
    </div>
  )
}
