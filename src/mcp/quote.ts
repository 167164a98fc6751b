import { setImmediate } from 'node:timers/promises'
import { type Quoted, quotationInSlices } from '../render/quotation.ts'
import type { Connection } from './connection.ts'

/** What others wrote, inside a fence. Others are answered between its entries: a hostile one takes long to render. */
export async function quote(
  { nonce }: Pick<Connection, 'nonce'>,
  what: string,
  entries: readonly Quoted[],
): Promise<string> {
  const slices = quotationInSlices({ what, entries, nonce: nonce() })
  for (;;) {
    const slice = slices.next()
    if (slice.done) return slice.value
    await setImmediate()
  }
}
