import { ENTRY_STREAMS } from '../../model/network/paths.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { STREAM_TYPE } from '../events/begin.ts'
import type { EventStreams } from '../events/streams.ts'
import type { Metrics } from '../metrics.ts'
import { startOf } from './stream-start.ts'

export type OpenBusStream = EventStreams['openBus']

/** Where the entries of a bus are followed. */
export function entryStreamEndpoints(means: {
  readonly openBusStream: OpenBusStream
  readonly metrics: Metrics
}): readonly Endpoint[] {
  const { openBusStream, metrics } = means
  return ENTRY_STREAMS.map((route) => ({
    route,
    name: 'bus.stream',
    isOpen: false,
    async answer(asking, params) {
      const streaming = { ...asking, metrics }
      if (asking.request.method !== 'HEAD') return openBusStream(streaming, params).then(() => undefined)
      await startOf(streaming, params)
      return { status: 200, type: STREAM_TYPE }
    },
  }))
}
