import { Button } from '../../parts/bits.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { formatClock, formatDay } from '../../parts/time-text.ts'
import { snoozeTimes } from './snooze-times.ts'

interface SnoozeProps {
  readonly count: number
  onChoose(untilAt: number, words: string): void
  onClose(): void
}

/** Until when something is out of sight. Each has a number as its key. */
export function Snooze({ count, onChoose, onClose }: SnoozeProps) {
  const times = snoozeTimes(new Date())
  return (
    <Dialog
      title={count === 1 ? 'Snooze until' : `Snooze ${count} until`}
      onClose={onClose}
      kind="menu"
      shortcuts={times.map(({ words, at }, index) => ({
        keys: String(index + 1),
        label: words,
        run: () => onChoose(at, words),
      }))}
    >
      <div class="choices">
        {times.map(({ words, at }, index) => (
          <Button key={words} keys={String(index + 1)} onClick={() => onChoose(at, words)}>
            {words}{' '}
            <span class="faint">
              {formatDay(at)}, {formatClock(at)}
            </span>
          </Button>
        ))}
      </div>
    </Dialog>
  )
}
