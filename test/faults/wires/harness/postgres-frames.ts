/** A message of a PostgreSQL client, as far as a test has to understand it. */
export interface Frame {
  /** The letter that it begins with; empty for the first of a connection, which has none. */
  readonly type: string
  readonly body: Buffer
  /** All of it, as it is to be handed on. */
  readonly bytes: Buffer
}

const LENGTH_BYTES = 4

/** Cuts a stream into the messages that it is made of, whatever pieces it comes in. */
export function createFrameReader({ isClient }: { readonly isClient: boolean }): (piece: Buffer) => Frame[] {
  let rest = Buffer.alloc(0)
  let hasType = !isClient
  return (piece) => {
    rest = Buffer.concat([rest, piece])
    const frames: Frame[] = []
    for (;;) {
      const head = hasType ? 1 : 0
      if (rest.length < head + LENGTH_BYTES) return frames
      const end = head + rest.readUInt32BE(head)
      if (rest.length < end) return frames
      frames.push({
        type: rest.toString('latin1', 0, head),
        body: rest.subarray(head + LENGTH_BYTES, end),
        bytes: rest.subarray(0, end),
      })
      rest = rest.subarray(end)
      hasType = true
    }
  }
}

/** The texts at the beginning of a message, each of which ends with a zero. */
export function textsOf({ body }: Frame, count: number): string[] {
  return body.toString('utf8').split('\0', count)
}

/**
 * Tells what a connection asks for, at the message that completes it. Prepared statements go by their names; a COMMIT is
 * told together with everything that it commits.
 */
export function createStatementReader(): (frame: Frame) => string | undefined {
  const prepared = new Map<string, string>()
  let bound = ''
  let transaction: string[] = []
  const asked = (frame: Frame): string | undefined => {
    if (frame.type === 'Q') return textsOf(frame, 1)[0]
    if (frame.type === 'P') {
      const [name = '', text = ''] = textsOf(frame, 2)
      prepared.set(name, text)
    }
    if (frame.type === 'B') bound = prepared.get(textsOf(frame, 2)[1] ?? '') ?? ''
    return frame.type === 'S' ? bound : undefined
  }
  return (frame) => {
    const statement = asked(frame)
    if (statement === undefined) return undefined
    transaction = statement.startsWith('BEGIN') ? [] : [...transaction, statement]
    return statement === 'COMMIT' ? ['COMMIT', ...transaction].join('\n') : statement
  }
}
