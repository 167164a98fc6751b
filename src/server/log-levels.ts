/** Severity of a log line: info needs no action, warn a look, error means loss or failure. */
export type LogLevel = 'info' | 'warn' | 'error'

/** Events not listed are warnings. */
const LEVELS: Readonly<Record<string, LogLevel>> = {
  'request.answered': 'info',
  'log.passed-over': 'info',
  'wire.connected': 'info',
  'wire.stream-made': 'info',
  'relay.again': 'info',
  'relay.resumed': 'info',
  'ledger.resumed': 'info',
  'ledger.whole': 'info',

  'request.failed': 'error',
  'response.failed': 'error',
  'reply.unkept': 'error',
  'events.failed': 'error',
  'listener.failed': 'error',
  'upkeep.failed': 'error',
  'plan.failed': 'error',
  'notice.failed': 'error',
  'broadcasts.failed': 'error',
  'snoozed.failed': 'error',
  'wire.stream-failed': 'error',
  'relay.failed': 'error',
  'ledger.failed': 'error',
  'ledger.closed': 'error',
  'ledger.broken': 'error',
  'ledger.publish_failed': 'error',
  'nats-server.ended': 'error',
}

export function levelOf(event: string): LogLevel {
  return LEVELS[event] ?? 'warn'
}

/** Used by the test that finds unused entries. */
export const LEVELLED_EVENTS: readonly string[] = Object.keys(LEVELS)
