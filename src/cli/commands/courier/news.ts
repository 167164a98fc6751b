/** What a courier has to say, in words; where it has none of its own the event and its fields stand for themselves. */
export function describeNews(event: string, fields: Readonly<Record<string, unknown>>): string {
  const words = WORDS[event]?.(fields)
  if (words !== undefined) return words
  const rest = Object.entries(fields).map(([name, value]) => `${name} ${String(value)}`)
  return [event, ...rest].join(', ')
}

type Fields = Readonly<Record<string, unknown>>

const WORDS: Readonly<Record<string, (fields: Fields) => string>> = {
  'courier.started': ({ agent, wire }) => `the courier of ${agent} listens to ${wire}`,
  'courier.wire.up': ({ wire }) => `it rings again: ${wire}`,
  'courier.wire.down': ({ wire }) => `nothing rings, so the store is asked every 20 s: ${wire}`,
  'courier.wire.deaf': ({ reason }) => `it cannot be listened yet, and is tried again: ${reason}`,
  'courier.store.away': ({ reason }) => `the store cannot be asked, so what comes is passed on as it is: ${reason}`,
  'courier.store.back': () => 'the store answers again',
  'courier.spool': ({ reason }) => `nothing is put into the spool: ${reason}`,
  'courier.refused': ({ reason, lines }) => `${lines} of what came is no mail and was dropped: ${reason}`,
  'courier.nudge': ({ to, reason }) => `${to} could not be nudged: ${reason}`,
}
