import { signal } from '@preact/signals'

/** What the person has chosen; `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'postern.theme'
const ORDER: readonly Theme[] = ['system', 'light', 'dark']

export const theme = signal<Theme>(readTheme())

export function setTheme(chosen: Theme): void {
  theme.value = chosen
  if (chosen === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = chosen
  try {
    localStorage.setItem(KEY, chosen)
  } catch {
    // It then holds for this page alone.
  }
}

export function nextTheme(): void {
  setTheme(ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length] ?? 'system')
}

/** Whether the page is dark now, for what is drawn on a canvas. */
export function isDark(): boolean {
  return theme.value === 'dark' || (theme.value === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
}

function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY)
    return ORDER.find((each) => each === stored) ?? 'system'
  } catch {
    return 'system'
  }
}
