import { createInbox, headers, type Msg, type NatsConnection } from '@nats-io/transport-node'

/** Something to be kept by the stream. */
export interface Entry {
  readonly id: string
  readonly subject: string
  readonly data: Uint8Array
}

export type Outcome =
  | { readonly sequence: number; readonly isDuplicate: boolean }
  | { readonly failure: Error; readonly code?: number }

export interface Publisher {
  /**
   * Publishes entries without waiting between them, and resolves once each has its outcome. What was kept is always a
   * beginning of what was given: each entry is refused unless the one before it is the last that the stream has kept,
   * or was kept earlier. So whatever goes wrong in the middle, the rest can be sent again from there, in order.
   */
  publish(entries: readonly Entry[]): Promise<readonly Outcome[]>
}

/** "wrong last msg ID": somebody else has published in between, or the entry before this one was not kept. */
export const CHAIN_BROKEN = 10_070
/** "message size exceeds maximum allowed". */
export const TOO_LARGE = 10_054
/** No stream takes these subjects. */
export const NO_STREAM = 503

/**
 * Nobody has answered. A stream that was deleted looks like this while somebody listens to the agent: its subscription
 * takes the copy as well, so the server does not say that no stream does.
 */
export const SILENCE = 408

/** Acknowledgements come one after the other; when none has come for so long, none will. */
const SILENCE_MS = 5_000

export interface PublisherOptions {
  readonly silenceMs?: number | undefined
}

/** The driver's types leave out with what a connection was made. */
interface Insides {
  readonly options?: { readonly inboxPrefix?: string }
}

/** Acknowledgements come to one inbox: the driver's requests cost a timer and a promise chain for each of them. */
export function createPublisher(
  connection: NatsConnection,
  { silenceMs = SILENCE_MS }: PublisherOptions = {},
): Publisher {
  const inbox = createInbox((connection as Insides).options?.inboxPrefix)
  const waiting = new Map<string, (outcome: Outcome) => void>()
  let count = 0
  let lastAckAt = 0

  connection.subscribe(`${inbox}.*`, {
    callback: (error, ack) => {
      if (error) return failAll(error)
      lastAckAt = performance.now()
      waiting.get(ack.subject)?.(parseAck(ack))
      waiting.delete(ack.subject)
    },
  })
  connection.closed().then((error) => failAll(error ?? new Error('the connection was lost')))

  function failAll(failure: Error, code?: number): void {
    for (const settle of waiting.values()) settle({ failure, ...(code !== undefined && { code }) })
    waiting.clear()
  }

  function watchSilence(): NodeJS.Timeout {
    lastAckAt = performance.now()
    return setInterval(() => {
      if (performance.now() - lastAckAt >= silenceMs) failAll(new Error('the stream does not answer'), SILENCE)
    }, silenceMs / 5)
  }

  return {
    async publish(entries) {
      const silence = watchSilence()
      try {
        return await Promise.all(entries.map((entry, index) => send(entry, entries[index - 1])))
      } finally {
        clearInterval(silence)
      }
    },
  }

  function send(entry: Entry, before: Entry | undefined): Promise<Outcome> {
    const reply = `${inbox}.${count++}`
    const header = headers()
    header.set('Nats-Msg-Id', entry.id)
    if (before) header.set('Nats-Expected-Last-Msg-Id', before.id)
    return new Promise((resolve) => {
      waiting.set(reply, resolve)
      try {
        connection.publish(entry.subject, entry.data, { headers: header, reply })
      } catch (error) {
        waiting.delete(reply)
        resolve({ failure: error as Error })
      }
    })
  }
}

interface Ack {
  readonly seq?: number
  readonly duplicate?: boolean
  readonly error?: { readonly err_code?: number; readonly description?: string }
}

function parseAck(ack: Msg): Outcome {
  if (ack.headers?.code === NO_STREAM) return { failure: new Error('no stream takes copies'), code: NO_STREAM }
  const { seq, duplicate = false, error } = ack.json<Ack>()
  if (seq !== undefined && !error) return { sequence: seq, isDuplicate: duplicate }
  const failure = new Error(`the stream refuses a copy: ${error?.description ?? 'it does not say why'}`)
  return error?.err_code === undefined ? { failure } : { failure, code: error.err_code }
}
