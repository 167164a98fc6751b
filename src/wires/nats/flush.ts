import type { NatsConnection } from '@nats-io/transport-node'

type Reject = (error: Error) => void

const waiting = new WeakMap<NatsConnection, Set<Reject>>()

/**
 * Resolves once the server has all that was sent to it. Rejects where it takes too long, or the connection ends before:
 * the driver's own promise is then never settled.
 */
export async function flush(connection: NatsConnection, patienceMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const others = waitingFor(connection)
  const timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs} ms`)), patienceMs)
  others.add(reject)
  connection.flush().then(resolve, reject)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    others.delete(reject)
  }
}

/** One look at the end of a connection for all who wait: it may live for months, and would keep each of them. */
function waitingFor(connection: NatsConnection): Set<Reject> {
  const known = waiting.get(connection)
  if (known) return known
  const made = new Set<Reject>()
  waiting.set(connection, made)
  connection.closed().then((error) => {
    for (const reject of made) reject(error ?? new Error('the connection was closed'))
  })
  return made
}
