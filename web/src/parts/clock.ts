import { signal } from '@preact/signals'

/** The present, as far as the page shows it: it moves on by itself. */
export const now = signal(Date.now())

const TICK_MS = 5_000

setInterval(() => {
  if (!document.hidden) now.value = Date.now()
}, TICK_MS)
document.addEventListener('visibilitychange', () => {
  now.value = Date.now()
})
