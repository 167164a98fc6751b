import { signal } from '@preact/signals'

/** What lies above the screen. */
export type Layer = 'palette' | 'help' | 'compose' | 'menu'

export const layer = signal<Layer | undefined>(undefined)

/** To whom a new message is addressed from the beginning. */
export const composeTo = signal<readonly string[]>([])

export function openLayer(which: Layer): void {
  layer.value = which
}

export function closeLayer(): void {
  layer.value = undefined
}

export function compose(to: readonly string[] = []): void {
  composeTo.value = to
  layer.value = 'compose'
}
