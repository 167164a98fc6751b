/** Something that is opened on first use. `close` closes it if it was opened, and never opens it. */
export interface Part<T> {
  open(): Promise<T>
  close(): Promise<void>
}

export function createPart<T>(open: () => Promise<T>, close: (opened: T) => void | Promise<void>): Part<T> {
  let opened: Promise<T> | undefined
  return {
    open() {
      opened ??= open()
      return opened
    },
    async close() {
      // A part that could not be opened has nothing to close.
      const part = await opened?.then(
        (value) => ({ value }),
        () => undefined,
      )
      if (part) await close(part.value)
    },
  }
}
