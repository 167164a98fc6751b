import type { BusPlace } from '../../model/bus/entry.ts'
import { PosternError } from '../../model/errors.ts'
import type { PosternEvent } from '../../model/network/event.ts'
import type { Postern } from '../../model/postern.ts'
import { ask } from '../ask.ts'
import type { Connection } from '../connection.ts'
import { formatUri, parseUri } from './uri.ts'

const ROUND_MS = 60_000
const RETRY_MS = 5_000
const TYPES = ['message.*', 'delivery.*', 'decision.*', 'gate.*']

/** How many buses one connection may follow; each is a wait of its own. */
const MAX_BUSES = 20

/** Tells which resources have changed, for as long as somebody wants to know. */
export interface Changes {
  /** Somebody wants to know of this one too. */
  want(uri: string): void
  unwant(uri: string): void
  close(): void
}

/**
 * Follows what happens only while something is wanted: events for what the store holds, and each bus by itself. What goes
 * wrong is tried again a moment later; a resource is only ever said to have changed, so too often does no harm.
 */
export function createChanges(connection: Connection, tell: (uri: string) => void): Changes {
  const wanted = new Set<string>()
  const followed = new Map<string, AbortController>()
  const events = 'events'

  function start(name: string, follow: (signal: AbortSignal) => Promise<void>): void {
    if (followed.has(name)) return
    const controller = new AbortController()
    followed.set(name, controller)
    void keepOn(follow, controller.signal)
  }

  function stop(name: string): void {
    followed.get(name)?.abort()
    followed.delete(name)
  }

  /** What has changed between the wish and the first look, or while nobody could look, is not known. */
  function tellAll(): void {
    for (const uri of wanted) if (parseUri(uri)?.kind !== 'bus') tell(uri)
  }

  async function followEvents(signal: AbortSignal): Promise<void> {
    const { postern } = connection
    let { cursor } = await postern.events.list({})
    tellAll()
    while (!signal.aborted) {
      const page = await postern.events.wait({ after: cursor, types: TYPES, timeoutMs: ROUND_MS, signal })
      cursor = page.cursor
      if (page.hasGap) tellAll()
      for (const uri of new Set(page.items.flatMap((event) => touchedBy(event, connection.agent))))
        if (wanted.has(uri)) tell(uri)
    }
  }

  return {
    want(uri) {
      const place = parseUri(uri)
      if (!place) return
      if (place.kind !== 'bus') start(events, followEvents)
      else if (followed.size < MAX_BUSES)
        start(uri, (signal) => followBus(connection, place.bus, () => tell(uri), signal))
      wanted.add(uri)
    },
    unwant(uri) {
      wanted.delete(uri)
      const place = parseUri(uri)
      if (place?.kind === 'bus') stop(uri)
      else if (![...wanted].some((each) => parseUri(each)?.kind !== 'bus')) stop(events)
    },
    close() {
      for (const name of [...followed.keys()]) stop(name)
      wanted.clear()
    },
  }
}

/** The resources that an event has changed. */
function touchedBy({ type, subject, agents, data }: PosternEvent, agent: string): readonly string[] {
  const [noun] = type.split('.')
  if (noun === 'decision' || noun === 'gate') return [formatUri({ kind: noun, id: subject })]
  const { threadId } = (data ?? {}) as { readonly threadId?: unknown }
  return [
    ...(agents ?? [agent]).map((id) => formatUri({ kind: 'inbox', id })),
    ...(typeof threadId === 'string' ? [formatUri({ kind: 'thread', id: threadId })] : []),
  ]
}

async function followBus(connection: Connection, bus: BusPlace, tell: () => void, signal: AbortSignal): Promise<void> {
  let cursor = await endOf(connection, bus)
  tell()
  while (!signal.aborted) {
    const after = cursor === null ? {} : { after: cursor }
    const page = await ask<Page>(connection, {
      name: 'bus.wait',
      input: { ...bus, ...after, timeoutMs: ROUND_MS },
      signal,
    })
    cursor = page.cursor ?? cursor
    if (page.items.length > 0 || page.hasGap) tell()
  }
}

/** Where a bus ends now; null where there is none yet, because then its first entry is news. */
async function endOf(connection: Connection, bus: BusPlace): Promise<Page['cursor']> {
  try {
    return (await ask<Page>(connection, { name: 'bus.read', input: { ...bus, tail: 1 } })).cursor
  } catch (error) {
    if (error instanceof PosternError && error.code === 'BUS_NOT_FOUND') return null
    throw error
  }
}

type Page = Awaited<ReturnType<Postern['bus']['read']>>

async function keepOn(follow: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await follow(signal).catch(async (error: unknown) => {
      // What may never be seen will not be seen a moment later either.
      if (error instanceof PosternError && !error.retryable && error.http < 500) await aborted(signal)
      else await pause(RETRY_MS, signal)
    })
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    timer.unref()
    signal.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true })
  })
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
