import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'

/** What a key does, and how the list of keys calls it. */
export interface Shortcut {
  /** `j`, `Enter`, `?`, `g i` (one after the other) or `mod+k` (⌘ or Ctrl). */
  readonly keys: string
  readonly label: string
  run(): void
  /** Also while something is being typed. */
  readonly whileTyping?: boolean
  /** Works, but is not worth a line in the list of keys. */
  readonly isUnlisted?: boolean
}

export interface Scope {
  readonly title: string
  readonly shortcuts: readonly Shortcut[]
  /** Nothing below it hears keys: a dialog is open. */
  readonly isModal?: boolean
}

/** The scopes that hear keys now, the topmost last. */
export const scopes = signal<readonly { readonly current: Scope }[]>([])

/** How long the first of two keys is remembered. */
const SEQUENCE_MS = 1_200

let first: { readonly key: string; readonly at: number } | undefined

export function useKeys(scope: Scope): void {
  const ref = useRef(scope)
  ref.current = scope
  useLayoutEffect(() => {
    scopes.value = [...scopes.peek(), ref]
    return () => {
      scopes.value = scopes.peek().filter((each) => each !== ref)
    }
  }, [])
}

export function hearKeys(): void {
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.isComposing) return
    const key = nameOf(event)
    if (isPressing(key, event.target)) return
    const shortcut = findShortcut(key, isTyping(event.target), event.timeStamp)
    if (!shortcut) return
    event.preventDefault()
    shortcut.run()
  })
}

function nameOf(event: KeyboardEvent): string {
  const isMod = event.metaKey || event.ctrlKey
  if (event.altKey) return ''
  const key = event.key.length === 1 && isMod ? event.key.toLowerCase() : event.key
  return `${isMod ? 'mod+' : ''}${event.shiftKey && key.length > 1 ? 'shift+' : ''}${key}`
}

function findShortcut(key: string, typing: boolean, at: number): Shortcut | undefined {
  const sequence = first && at - first.at < SEQUENCE_MS ? `${first.key} ${key}` : undefined
  first = undefined
  const candidates = reachable().filter(({ whileTyping = false }) => whileTyping || !typing)
  const found =
    candidates.find(({ keys }) => keys === sequence) ?? candidates.find(({ keys }) => keys.split(', ').includes(key))
  if (!found && candidates.some(({ keys }) => keys.startsWith(`${key} `))) first = { key, at }
  return found
}

/** From the topmost scope down to the first that lets nothing through. */
function reachable(): Shortcut[] {
  const found: Shortcut[] = []
  for (const { current } of scopes.peek().toReversed()) {
    found.push(...current.shortcuts)
    if (current.isModal) break
  }
  return found
}

/** What can be pressed, and takes these keys itself. */
const PRESSABLE = 'a[href], button, summary, [role=button], [role=radio], [role=tab]'

/** A link cannot be followed by any other key than Enter, so no shortcut takes it away. */
function isPressing(key: string, target: EventTarget | null): boolean {
  return (key === 'Enter' || key === ' ') && target instanceof Element && target.closest(PRESSABLE) !== null
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio', 'button'].includes(target.type)
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement
}

const isApple = /mac|iphone|ipad/i.test(navigator.userAgent)

/** As it stands on the keyboard of whoever reads it. */
export function formatKeys(keys: string): string {
  return keys
    .replace('mod+Enter', isApple ? '⌘↵' : 'Ctrl ↵')
    .replace('mod+k', isApple ? '⌘K' : 'Ctrl K')
    .replace('Escape', 'Esc')
    .replace('Enter', '↵')
    .replace('ArrowDown', '↓')
    .replace('ArrowUp', '↑')
}
