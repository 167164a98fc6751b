import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Context } from '../../../src/core/context.ts'
import { createPostern } from '../../../src/core/postern.ts'
import { openContext } from '../../../src/host/open/context.ts'
import { openEmbedded } from '../../../src/host/open/store.ts'
import type { Postern } from '../../../src/model/postern.ts'
import type { Store } from '../../../src/store/store.ts'
import { storeWith } from '../store-with.ts'
import { temporaryFolder } from '../temp.ts'

/** What drains have measured, when, and in how large pieces. */
export interface Measured {
  /** Whether a write transaction was open. */
  readonly while: Set<'writing' | 'free'>
  /** Characters of content that were measured whole. */
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
      inTurn += message.content.length
      measured.characters += message.content.length
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
