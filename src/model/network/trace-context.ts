/** Where a message stands in a distributed trace: the headers of W3C Trace Context, as they came. */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/
const STATE_CHARACTERS = 512

/**
 * The trace context that two headers hold. As the standard says, one that is not valid is passed over, and a state
 * without a parent means nothing.
 */
export function parseTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string' || traceparent.length > STATE_CHARACTERS) return undefined
  const [, version, traceId = '', parentId = '', rest] = TRACEPARENT.exec(traceparent) ?? []
  const isKnown = version === '00' ? rest === undefined : version !== undefined && version !== 'ff'
  if (!isKnown || /^0+$/.test(traceId) || /^0+$/.test(parentId)) return undefined
  return isState(tracestate) ? { traceparent, tracestate } : { traceparent }
}

function isState(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= STATE_CHARACTERS && /^[\x20-\x7e\t]+$/.test(value)
}
