import type { Context, Ledgers } from '../../core/context.ts'

/** The same context, whose ledger can be closed if anybody has opened it. */
export function keepLedger(ctx: Context): { readonly ctx: Context; closeLedger(): Promise<void> } {
  let opened: Promise<Ledgers> | undefined
  return {
    ctx: {
      ...ctx,
      ledger() {
        opened ??= ctx.ledger()
        return opened
      },
    },
    async closeLedger() {
      // Where it could not be opened there is nothing to close.
      const ledgers = await opened?.catch(() => undefined)
      await ledgers?.ledger.close()
    },
  }
}
