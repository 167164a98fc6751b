import type { ErrorRow } from '../errors/error-row.ts'

/** Refusals of what rings other machines. None of them loses a message: those are in the store. */
export const wireErrors = () =>
  ({
    WIRE_URL_INVALID: {
      kind: 'usage',
      text: 'The wire {url} is not one that Postern knows.',
      next: 'Use a URL that begins with "nats://", "tls://", "redis://" or "rediss://".',
    },
    WIRE_DRIVER_MISSING: {
      kind: 'broken',
      text: 'The wire {wire} needs {packages}, which cannot be loaded ({reason}).',
      next: 'Install it beside Postern with "npm install {packages}".',
    },
    WIRE_MAY_EVICT: {
      kind: 'broken',
      text: 'The Redis server {url} may throw away messages when its memory is full (maxmemory-policy {policy}).',
      next: 'Set "maxmemory-policy noeviction" in its configuration, or use another server.',
    },
    COURIER_RUNNING: {
      kind: 'conflict',
      text: 'The process {pid} is already the courier of {agent}.',
      next: 'Leave it running, or end it first.',
    },
    NATS_SERVER_MISSING: {
      kind: 'broken',
      text: 'There is no nats-server on this machine ({reason}).',
      next: 'Install nats-server 2.9 or newer, or name one: "postern serve --wire nats://<host>".',
    },
    NATS_SERVER_FAILED: {
      kind: 'unavailable',
      text: 'The nats-server did not start: {reason}.',
      next: 'Read its log {log}. "postern serve --nats-server <port>" uses another port.',
    },
  }) as const satisfies Record<string, ErrorRow>
