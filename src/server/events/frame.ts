import type { PosternEvent } from '../../model/network/event.ts'
import { toWire } from '../../model/network/wire-json.ts'

/** What goes over the wire together, and the cursor of the last event in it. */
export interface Bundle {
  readonly bytes: Buffer
  readonly cursor: string
}

/** An event as it goes over the wire. Made once, however many it is sent to. */
export interface Frame extends Bundle {
  readonly event: PosternEvent
}

/** Each write costs far more than the bytes in it. */
const BUNDLE_BYTES = 64 * 1024

export function* bundlesOf(frames: readonly Bundle[]): Generator<Bundle, void> {
  let [from, bytes] = [0, 0]
  for (const [at, frame] of frames.entries()) {
    bytes += frame.bytes.length
    if (bytes < BUNDLE_BYTES && at + 1 < frames.length) continue
    yield { bytes: Buffer.concat(frames.slice(from, at + 1).map((each) => each.bytes)), cursor: frame.cursor }
    from = at + 1
    bytes = 0
  }
}

/** How long a client waits before it comes back. */
const RETRY_MS = 1_000

export const BEGINNING = Buffer.from(`retry: ${RETRY_MS}\n\n`)

export function formatFrame(event: PosternEvent): Frame {
  const { cursor, type } = event
  const data = JSON.stringify(toWire(event))
  return { event, cursor, bytes: Buffer.from(`id: ${cursor}\nevent: ${type}\ndata: ${data}\n\n`) }
}

/** Says that something may have been missed, in the form of an event. It goes on after this cursor. */
export function formatGap(cursor: string, at: number): Frame {
  return formatFrame({ cursor, at, type: 'gap', subject: 'events', agents: null, data: {} })
}

/** A sign of life; and a new id where nothing was sent for it, which a client takes over without a word. */
export function formatBeat(cursor: string | undefined): Buffer {
  return Buffer.from(cursor === undefined ? ':\n\n' : `:\nid: ${cursor}\n\n`)
}
