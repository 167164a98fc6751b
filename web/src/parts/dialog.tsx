import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { type Shortcut, useKeys } from '../keys/keys.ts'
import { IconButton } from './bits.tsx'

interface DialogProps {
  readonly title: string
  onClose(): void
  readonly children: ComponentChildren
  /** A form is not closed by a press beside it: what was typed would be lost. */
  readonly kind?: 'form' | 'menu' | 'palette' | 'wide'
  /** Heard while it is open, beside Escape. */
  readonly shortcuts?: readonly Shortcut[]
}

/** The browser's own dialog: it holds the focus, hides what is behind it and gives the focus back. */
export function Dialog({ title, onClose, children, kind = 'form', shortcuts = [] }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  const isPressedBeside = useRef(false)
  useLayoutEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    // The browser would begin with the button that closes it; people begin with what it asks.
    const main = ref.current?.querySelector('.dialog-main')
    main?.querySelector<HTMLElement>(':is(input, textarea, select, button, a[href]):not([disabled])')?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  useKeys({
    title,
    isModal: true,
    shortcuts: [{ keys: 'Escape', label: 'Close', run: onClose, whileTyping: true }, ...shortcuts],
  })
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same
    <dialog
      ref={ref}
      class={`dialog dialog-${kind}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onMouseDown={(event) => {
        isPressedBeside.current = event.target === ref.current
      }}
      onClick={(event) => {
        // A text that is marked from within and let go beside it ends in a click on it too.
        if (kind !== 'form' && isPressedBeside.current && event.target === ref.current) onClose()
      }}
    >
      <div class="dialog-body">
        <header class={kind === 'palette' ? 'hidden-text' : 'dialog-head'}>
          <h2 id={titleId}>{title}</h2>
          {kind !== 'palette' && <IconButton icon="close" label="Close" keys="Escape" onClick={onClose} />}
        </header>
        <div class="dialog-main">{children}</div>
      </div>
    </dialog>
  )
}
