import { signal } from '@preact/signals'
import { asProblem } from '../api/problem.ts'
import { useKeys } from '../keys/keys.ts'
import { Button } from './bits.tsx'
import { Icon } from './icon.tsx'

interface Toast {
  readonly id: number
  readonly text: string
  readonly next?: string | undefined
  readonly isProblem?: boolean
  undo?(): void
}

const toasts = signal<readonly Toast[]>([])
let count = 0

export const TOAST_MS = 6_000
const PROBLEM_MS = 12_000

/** Says something in passing. With `undo`, it can be taken back for as long as it stands there. */
export function toast(text: string, undo?: () => void): () => void {
  return show({ id: ++count, text, ...(undo && { undo }) }, TOAST_MS)
}

export function toastProblem(thrown: unknown): void {
  const { message, next } = asProblem(thrown)
  show({ id: ++count, text: message, next, isProblem: true }, PROBLEM_MS)
}

function show(shown: Toast, ms: number): () => void {
  const remove = () => {
    toasts.value = toasts.value.filter(({ id }) => id !== shown.id)
  }
  toasts.value = [...toasts.value.slice(-2), shown]
  setTimeout(remove, ms)
  return remove
}

/** Runs what a button asks for; what is refused is said in words. */
export async function attempt<T>(action: () => Promise<T>): Promise<T | undefined> {
  try {
    return await action()
  } catch (error) {
    toastProblem(error)
    return undefined
  }
}

function undo(meant: Toast | undefined): void {
  meant?.undo?.()
  toasts.value = toasts.value.filter((each) => each !== meant)
}

function lastToUndo(): Toast | undefined {
  return toasts.value.findLast((each) => each.undo)
}

export function Toasts() {
  useKeys({
    title: 'Everywhere',
    shortcuts: [
      { keys: 'u', label: 'Undo the last step', run: () => undo(lastToUndo()) },
      { keys: 'mod+z', label: 'Undo the last step', run: () => undo(lastToUndo()), isUnlisted: true },
    ],
  })
  const last = lastToUndo()
  return (
    <div class="toasts" role="status" aria-live="polite">
      {toasts.value.map((each) => (
        <div key={each.id} class={`toast ${each.isProblem ? 'toast-problem' : ''}`}>
          <Icon name={each.isProblem ? 'warning' : 'check'} />
          <div>
            <p>{each.text}</p>
            {each.next && <p class="soft">{each.next}</p>}
          </div>
          {each.undo && (
            <Button kind="quiet" {...(each === last && { keys: 'u' })} onClick={() => undo(each)}>
              Undo
            </Button>
          )}
        </div>
      ))}
    </div>
  )
}
