import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Context } from '../../../src/core/context.ts'
import { createPostern } from '../../../src/core/postern.ts'
import { openContext } from '../../../src/host/open/context.ts'
import { openEmbedded } from '../../../src/host/open/store.ts'
import type { InboxMessage } from '../../../src/model/delivery.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { Store } from '../../../src/store/store.ts'
import { storeWith } from '../store-with.ts'
import { temporaryFolder } from '../temp.ts'

/** What drains have measured, when, and in how large pieces. */
export interface Measured {
  /** Whether a write transaction was open. */
  readonly while: Set<'writing' | 'free'>
  /** Characters of messages that were measured whole: content, quotations and all other words of the sender. */
  characters: number
  /** The most of them between two turns of the event loop. */
  mostInTurn: number
}

export interface WatchedPostern {
  readonly postern: Postern
  readonly measured: Measured
  advance(ms: number): void
  /** Calls back whenever a drain pauses. */
  onPause(call: () => void): void
}

function charactersOf({ content, quotes = [], subject, ref, payload, context, attachments }: InboxMessage): number {
  const data = [payload, context, ...attachments].filter((each) => each !== null)
  const texts = [content, subject ?? '', ref ?? '', ...quotes.map(({ text }) => text)]
  return [...texts, ...data.map((each) => JSON.stringify(each))].reduce((sum, { length }) => sum + length, 0)
}

/** A Postern in this process, with an agent `quinn`, whose drains are watched. */
export async function openWatched(change: Partial<Context> = {}): Promise<WatchedPostern> {
  let now = Date.now()
  const { store, wire } = await openEmbedded(join(temporaryFolder(), 'postern.db'), { now: () => now })
  let isWriting = false
  const transact: Store['transact'] = (verb, options) =>
    store.transact((tx) => {
      isWriting = true
      return verb(tx).finally(() => {
        isWriting = false
      })
    }, options)
  const { ctx, close } = openContext(storeWith(store, { transact, single: transact }), wire, { now: () => now })
  const context = { ...ctx, ...change }
  const measured: Measured = { while: new Set(), characters: 0, mostInTurn: 0 }
  let inTurn = 0
  let paused = () => {}
  const measure: Context['measure'] = (message, form, room) => {
    measured.while.add(isWriting ? 'writing' : 'free')
    if (form === 'whole') {
      if (inTurn === 0)
        setImmediate(() => {
          inTurn = 0
        })
      const characters = charactersOf(message)
      inTurn += characters
      measured.characters += characters
      measured.mostInTurn = Math.max(measured.mostInTurn, inTurn)
    }
    return context.measure(message, form, room)
  }
  const after: Context['timers']['after'] = (ms, call) => {
    paused()
    return context.timers.after(ms, call)
  }
  const postern = createPostern({ ...context, measure, timers: { after } }, close)
  onTestFinished(() => postern.close())
  await postern.agents.add({ id: 'quinn', kind: 'ai' })
  return {
    postern,
    measured,
    advance: (ms) => {
      now += ms
    },
    onPause: (call) => {
      paused = call
    },
  }
}
