import { signal } from '@preact/signals'
import { createBackoff } from '../../../src/kit/pure/backoff.ts'
import { createSseParser } from '../../../src/kit/pure/sse.ts'
import type { PosternEvent } from '../../../src/model/network/event.ts'
import type { EventPage } from '../../../src/model/network/events.ts'
import { fromWire } from '../../../src/model/network/wire-json.ts'
import { call } from '../api/postern.ts'
import { Problem } from '../api/problem.ts'
import { send } from '../api/request.ts'
import { pause } from './pause.ts'

/**
 * What the page hears from the server.
 *
 *   connecting ─first answer→ live ─broken off, or silent for too long→ lost ─answers again→ live
 *   live ─page is hidden→ resting (looks now and then) ─visible→ connecting · any ─401→ signed-out
 *
 * A connection that breaks is made again where it broke off, by the cursor of the last event, so nothing is missed while
 * a server restarts. What cannot be caught up is told as a gap: whoever shows something then loads it anew.
 */
export type ConnectionState = 'connecting' | 'live' | 'lost' | 'resting' | 'signed-out'

export const connection = signal<ConnectionState>('connecting')

export type News = Pick<PosternEvent, 'type' | 'subject' | 'agents' | 'data' | 'at'>
type Listener = (news: News) => void

/** Something may have been missed, or the connection is new. */
export const GAP = 'gap'

const SILENCE_MS = 60_000
const REST_MS = 15_000
const RETRY = { minMs: 300, maxMs: 8_000, random: Math.random } as const

const listeners = new Set<Listener>()
let cursor: string | undefined
let stopper = new AbortController()

export function listen(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function tell(news: News): void {
  for (const listener of listeners) listener(news)
}

/** Notes where the present is, before anything is loaded: whatever changes after that will be heard of. */
export async function markPresent(signal?: AbortSignal): Promise<void> {
  cursor ??= ((await call('events.list', {}, { signal })) as EventPage).cursor
}

/** Follows events until the person is signed out. A browser has few connections, so a hidden page gives its own back. */
export async function followEvents(): Promise<void> {
  document.addEventListener('visibilitychange', () => stopper.abort())
  addEventListener('online', () => stopper.abort())
  const backoff = createBackoff(RETRY)
  while (connection.value !== 'signed-out') {
    stopper = new AbortController()
    try {
      if (document.hidden) await lookNowAndThen()
      else await readStream(() => backoff.reset())
    } catch (error) {
      if (error instanceof Problem && error.status === 401) {
        connection.value = 'signed-out'
        return
      }
      if (!stopper.signal.aborted) lose()
    }
    if (!stopper.signal.aborted) await pause(backoff.next(), stopper.signal)
  }
}

async function readStream(onHeard: () => void): Promise<void> {
  const silence = watchSilence(stopper)
  try {
    await hearStream(() => {
      silence.isBroken()
      onHeard()
    })
  } finally {
    silence.end()
  }
  lose()
}

/** A server that says nothing for too long, not even that it is there, is lost: the connection is made anew. */
function watchSilence(watched: AbortController): { isBroken(): void; end(): void } {
  const alarm = () => {
    lose()
    watched.abort()
  }
  let timer = setTimeout(alarm, SILENCE_MS)
  return {
    isBroken() {
      clearTimeout(timer)
      timer = setTimeout(alarm, SILENCE_MS)
    },
    end: () => clearTimeout(timer),
  }
}

async function hearStream(onHeard: () => void): Promise<void> {
  const { signal } = stopper
  await markPresent(signal)
  const headers = { Accept: 'text/event-stream', 'Last-Event-ID': cursor ?? '' }
  const response = await send({ method: 'GET', path: '/api/v1/events' }, { headers, signal })
  connection.value = 'live'
  onHeard()
  const parser = createSseParser()
  const decoder = new TextDecoder()
  const reader = response.body?.getReader()
  for (;;) {
    const piece = await reader?.read()
    if (!piece || piece.done) return
    onHeard()
    for (const { data } of parser.push(decoder.decode(piece.value, { stream: true })))
      tell(fromWire(JSON.parse(data)) as News)
    cursor = parser.lastId || cursor
  }
}

/** Whoever has left on their own is not lost. */
function lose(): void {
  if (connection.value !== 'signed-out') connection.value = 'lost'
}

/** While nobody looks, the count in the title need not be right at once. */
async function lookNowAndThen(): Promise<void> {
  const { signal } = stopper
  for (;;) {
    const after = cursor === undefined ? {} : { after: cursor, limit: 1_000 }
    const page = (await call('events.list', after, { signal })) as EventPage
    cursor = page.cursor
    connection.value = 'resting'
    if (page.hasGap) tell({ type: GAP, subject: '', agents: null, data: null, at: Date.now() })
    for (const event of page.items) tell(event)
    if (!document.hidden) return
    if (!page.hasMore) await pause(REST_MS, signal)
    if (!document.hidden) return
  }
}
