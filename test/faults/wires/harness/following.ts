import { setTimeout as delay } from 'node:timers/promises'
import { PosternError } from '../../../../src/model/errors.ts'
import type { Postern } from '../../../../src/model/postern.ts'

/** Does something until it works; only what may go better the next time is tried again. */
export async function insist<T>(attempt: () => Promise<T>, onFailed: () => void = () => {}): Promise<T> {
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof PosternError && error.retryable)) throw error
      onFailed()
      await delay(10)
    }
  }
}

/** Follows events from a cursor until one is about this, whatever fails meanwhile. Returns their cursors. */
export async function followEvents({ events }: Postern, from: string, end: string): Promise<string[]> {
  const seen: string[] = []
  for (let after = from; ; ) {
    const page = await insist(() => events.wait({ after, limit: 50, timeoutMs: 2_000 }))
    for (const { cursor, subject } of page.items) {
      seen.push(page.hasGap ? `gap before ${cursor}` : cursor)
      if (subject === end) return seen
    }
    after = page.cursor
  }
}

/** Everything that has happened since a cursor, as the store tells it afterwards. */
export async function everythingAfter({ events }: Postern, from: string) {
  const cursors: string[] = []
  const created: string[] = []
  for (let after = from; ; ) {
    const page = await events.list({ after, limit: 1_000 })
    cursors.push(...page.items.map(({ cursor }) => cursor))
    created.push(...page.items.filter(({ type }) => type === 'message.created').map(({ subject }) => subject))
    if (!page.hasMore) return { cursors, created }
    after = page.cursor
  }
}

/** Reads an inbox page by page, always after the last one it has seen, until that is this. Returns what it says. */
export async function followInbox({ inbox }: Postern, agent: string, end: string): Promise<string[]> {
  const seen: string[] = []
  for (let after: string | undefined; seen.at(-1) !== end; ) {
    const { items } = await insist(() =>
      inbox.list({ agent, which: 'all', limit: 7, ...(after !== undefined && { after }) }),
    )
    seen.push(...items.map(({ content }) => content))
    const last = items.at(-1)
    if (last) after = `${last.agent}:${last.inboxSeq}`
    else await delay(5)
  }
  return seen
}
