import { now } from './clock.ts'
import { formatAbsolute, formatRelative, formatShort } from './time-text.ts'

interface TimeProps {
  readonly at: number
  /** Without "ago": the place says what is meant. */
  readonly isShort?: boolean
}

/** A moment as seen from now; its full date and time stand in the title. */
export function Time({ at, isShort = false }: TimeProps) {
  const text = isShort ? formatShort(at, now.value) : formatRelative(at, now.value)
  return (
    <time dateTime={new Date(at).toISOString()} title={formatAbsolute(at)}>
      {text}
    </time>
  )
}
