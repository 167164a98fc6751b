import { once } from 'node:events'
import { sleep } from '../../kit/clock/sleep.ts'
import type { BusPlace } from '../../model/bus/entry.ts'
import { PosternError } from '../../model/errors.ts'
import type { PosternEvent } from '../../model/network/event.ts'
import type { Postern, ShownInFull } from '../../model/postern.ts'
import { ask } from '../ask.ts'
import type { Connection } from '../connection.ts'
import { formatUri, type Place, parseUri } from './uri.ts'

const ROUND_MS = 60_000
const RETRY_MS = 5_000
const TYPES = ['message.*', 'delivery.*', 'decision.*', 'gate.*']

/** How many buses one connection may follow; each is a wait of its own. */
const MAX_BUSES = 20

/** Tells which resources have changed, for as long as somebody wants to know. */
export interface Changes {
  /** Somebody wants to know of this one too. False where it is no address, or one bus too many. */
  want(uri: string): boolean
  unwant(uri: string): void
  close(): void
}

/**
 * Follows what happens only while something is wanted: events for what the store holds, and each bus by itself. What goes
 * wrong is tried again a moment later; a resource is only ever said to have changed, so too often does no harm.
 */
export function createChanges(connection: Connection, tell: (uri: string) => void): Changes {
  /** What is wanted, as it was written, and the addresses of ours under which something happens to it. */
  const wanted = new Map<string, Set<string>>()
  const buses = new Map<string, AbortController>()
  let events: AbortController | undefined

  /** What has changed between the wish and the first look, or while nobody could look, is not known. */
  function tellAll(): void {
    for (const uri of wanted.keys()) if (!buses.has(uri)) tell(uri)
  }

  function tellOf(touched: ReadonlySet<string>): void {
    for (const [uri, addresses] of wanted) if ([...addresses].some((address) => touched.has(address))) tell(uri)
  }

  async function followEvents(signal: AbortSignal): Promise<void> {
    const { postern } = connection
    let { cursor } = await postern.events.list({})
    tellAll()
    while (!signal.aborted) {
      const page = await postern.events.wait({ after: cursor, types: TYPES, timeoutMs: ROUND_MS, signal })
      cursor = page.cursor
      if (page.hasGap) tellAll()
      tellOf(new Set(page.items.flatMap((event) => touchedBy(event, connection.agent))))
    }
  }

  function wantBus(uri: string, bus: BusPlace): boolean {
    if (buses.has(uri)) return true
    if (buses.size >= MAX_BUSES) return false
    const controller = new AbortController()
    buses.set(uri, controller)
    wanted.set(uri, new Set())
    void keepOn((signal) => followBus(connection, bus, () => tell(uri), signal), controller.signal)
    return true
  }

  function wantEvents(uri: string, place: Exclude<Place, { kind: 'bus' }>): boolean {
    const addresses = new Set([formatUri(place)])
    wanted.set(uri, addresses)
    if (place.kind === 'thread') void addThread(addresses, place.id)
    if (events) return true
    events = new AbortController()
    void keepOn(followEvents, events.signal)
    return true
  }

  /** A thread may be named by any of its messages, but what happens to it happens under the first. */
  async function addThread(addresses: Set<string>, id: string): Promise<void> {
    const shown = await ask<ShownInFull>(connection, { name: 'inbox.show', input: { id } }).catch(() => undefined)
    if (shown) addresses.add(formatUri({ kind: 'thread', id: shown.message.threadId }))
  }

  function stopEvents(): void {
    events?.abort()
    events = undefined
  }

  return {
    want(uri) {
      const place = parseUri(uri)
      if (!place || wanted.has(uri)) return place !== undefined
      return place.kind === 'bus' ? wantBus(uri, place.bus) : wantEvents(uri, place)
    },
    unwant(uri) {
      wanted.delete(uri)
      buses.get(uri)?.abort()
      buses.delete(uri)
      if (wanted.size === buses.size) stopEvents()
    },
    close() {
      for (const controller of buses.values()) controller.abort()
      buses.clear()
      wanted.clear()
      stopEvents()
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
      const isHopeless = error instanceof PosternError && !error.retryable && error.http < 500
      const rest = isHopeless ? once(signal, 'abort') : sleep(RETRY_MS, { signal, isBackground: true })
      await rest.catch(() => {})
    })
  }
}
