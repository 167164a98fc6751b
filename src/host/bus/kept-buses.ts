import type { Buses, Context } from '../../core/context.ts'

/** The same context, whose buses can be closed if anybody has opened them. */
export function keepBuses(ctx: Context): { readonly ctx: Context; closeBuses(): void } {
  let opened: Promise<Buses> | undefined
  return {
    ctx: {
      ...ctx,
      bus() {
        opened ??= ctx.bus()
        return opened
      },
    },
    closeBuses() {
      opened?.then(
        (buses) => buses.close(),
        // Where they could not be opened there is nothing to close.
        () => {},
      )
    },
  }
}
